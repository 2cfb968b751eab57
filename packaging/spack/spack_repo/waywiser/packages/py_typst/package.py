from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import depends_on, license, version


class PyTypst(PythonPackage):
    """The typesetter Typst as a Python module; cargo downloads its crates during the build."""

    pypi = "typst/typst-0.15.2.tar.gz"

    license("Apache-2.0")

    version("0.15.2", sha256="4dad10ec2f209e19c2473bbaf294004d5cde885206a6b6c2a6bb5f6c1488e243")

    depends_on("c", type="build")
    depends_on("rust@1.85:", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-maturin@1", type="build")
