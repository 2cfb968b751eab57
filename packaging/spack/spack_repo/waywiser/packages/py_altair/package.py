from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import depends_on, license, version


class PyAltair(PythonPackage):
    """Statistical charts in Python that Vega-Lite draws."""

    pypi = "altair/altair-6.3.0.tar.gz"

    license("BSD-3-Clause")

    version("6.3.0", sha256="fa632121aca6d0fcb198a3d8a9f7d937fa5b7518ec947951cfffb44e736d97c8")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-hatchling", type="build")
    depends_on("py-versioningit", type="build")
    depends_on("py-jinja2", type=("build", "run"))
    depends_on("py-jsonschema@3:", type=("build", "run"))
    depends_on("py-narwhals@2.4:", type=("build", "run"))
    depends_on("py-packaging", type=("build", "run"))
    depends_on("py-typing-extensions@4.12:", type=("build", "run"))
