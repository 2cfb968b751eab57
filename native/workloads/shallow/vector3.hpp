/// Points of the unit sphere, and the arcs and areas between them.
#pragma once

#include <array>
#include <cmath>

namespace waywiser::shallow {

using Vector3 = std::array<double, 3>;

inline constexpr double pi = 3.14159265358979323846;

inline Vector3 operator+(const Vector3& a, const Vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector3 operator-(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector3 operator*(double s, const Vector3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }
inline Vector3 unit(const Vector3& a) { return (1 / norm(a)) * a; }

/// Great-circle distance of two unit vectors [rad].
inline double arc(const Vector3& a, const Vector3& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

/// Area of a spherical triangle, positive if its corners are in counter-clockwise order as seen from outside.
inline double triangle_area(const Vector3& a, const Vector3& b, const Vector3& c) {
    return 2 * std::atan2(dot(a, cross(b, c)), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// Circumcentre of a triangle whose corners are in counter-clockwise order.
inline Vector3 circumcentre(const Vector3& a, const Vector3& b, const Vector3& c) { return unit(cross(b - a, c - a)); }

}  // namespace waywiser::shallow
