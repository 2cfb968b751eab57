/* A module of Python that calls MPI as mpi4py does: without the interpreter's lock. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <mpi.h>

static PyObject* barrier(PyObject* self, PyObject* arguments) {
    (void)self, (void)arguments;
    Py_BEGIN_ALLOW_THREADS;
    MPI_Barrier(MPI_COMM_WORLD);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

static void finish(void) { MPI_Finalize(); }

static PyMethodDef methods[] = {{"barrier", barrier, METH_NOARGS, ""}, {0, 0, 0, 0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "MPI", "", -1, methods, 0, 0, 0, 0};

PyMODINIT_FUNC PyInit_MPI(void) {
    MPI_Init(0, 0);
    Py_AtExit(finish);
    return PyModule_Create(&module);
}
