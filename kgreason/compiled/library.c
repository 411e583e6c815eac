/* The library of kernels as a Python extension module with the stable ABI of Python 3.11.

   `kernels.h` is written by build.py. It has LEVELS, the number of processor levels; STAMP and SOURCES; and the list
   KERNELS of all kernels: EACH(number, name, arguments, results). Each kernel is there once for each level, as the
   function kernel_<level>_<number>.

   `arguments` has two characters for each argument: the type of an item (as in Python's module struct), and the number
   of dimensions of a contiguous array; 0 stands for an integer. A named tuple of arrays counts as its arrays. `results`
   is the number of integers that the kernel returns.

   A kernel releases the GIL. Its arguments are checked first; arrays are held until it returns. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>
#include "kernels.h"

#define MOST_ARGUMENTS 16
#define MOST_WORDS 48
#define MOST_RESULTS 8

/* Numba's calling convention for a function of one int64 array: results, error, and the words of the array. */
typedef int Entry(void *, void **, void *, void *, int64_t, int64_t, int64_t *, int64_t, int64_t);

typedef struct {
  const char *name, *arguments;
  int results;
  Entry *entries[LEVELS];
  PyMethodDef method;
} Kernel;

#define EACH(number, name, arguments, results) DECLARE(number)
KERNELS
#undef EACH

#define EACH(number, name, arguments, results) {name, arguments, results, {ENTRIES(number)}, {0}},
static Kernel kernels[] = {KERNELS};
#undef EACH

static int level = 0; /* the number of the level in use: later levels need newer processors */

static int level_of_processor(void) {
#if LEVELS > 1
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt") &&
      __builtin_cpu_supports("movbe") && __builtin_cpu_supports("f16c"))
    return 1;
#endif
  return 0;
}

/* The arguments of a call: the words that the kernel gets, and the buffers that must be released. */
typedef struct {
  const char *expected;
  int64_t words[MOST_WORDS];
  Py_buffer buffers[MOST_ARGUMENTS];
  int n_words, n_buffers;
} Call;

static int is_of_type(const Py_buffer *buffer, char expected) {
  const char *format = buffer->format ? buffer->format : "B";
  if (*format == '@' || *format == '=' || *format == '<') format++;
  if (format[0] == 0 || format[1] != 0) return 0;
  char found = *format;
  if (found == 'l' && sizeof(long) == 8) found = 'q'; /* one name for each type of eight bytes */
  if (found == 'L' && sizeof(long) == 8) found = 'Q';
  return found == expected;
}

static int take_array(Call *call, PyObject *argument) {
  Py_buffer *buffer = &call->buffers[call->n_buffers];
  if (PyObject_GetBuffer(argument, buffer, PyBUF_FORMAT | PyBUF_ND) < 0) return -1;
  call->n_buffers++;
  int dimensions = call->expected[1] - '0';
  if (buffer->ndim != dimensions || !is_of_type(buffer, call->expected[0])) {
    PyErr_Format(PyExc_TypeError, "an array of %d dimensions with items of type %c was expected, not of %d with %s",
                 dimensions, call->expected[0], buffer->ndim, buffer->format ? buffer->format : "B");
    return -1;
  }
  call->words[call->n_words++] = (int64_t)(intptr_t)buffer->buf;
  for (int i = 0; i < dimensions; i++) call->words[call->n_words++] = buffer->shape[i];
  return 0;
}

static int take(Call *call, PyObject *argument) {
  if (PyTuple_Check(argument)) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(argument); i++)
      if (take(call, PyTuple_GetItem(argument, i)) < 0) return -1;
    return 0;
  }
  if (call->expected[0] == 0) {
    PyErr_SetString(PyExc_TypeError, "too many arguments");
    return -1;
  }
  if (call->expected[1] == '0') {
    long long value = PyLong_AsLongLong(argument);
    if (value == -1 && PyErr_Occurred()) return -1;
    call->words[call->n_words++] = value;
  } else if (take_array(call, argument) < 0) {
    return -1;
  }
  call->expected += 2;
  return 0;
}

static PyObject *returned(const int64_t *results, int count) {
  if (count == 0) Py_RETURN_NONE;
  if (count == 1) return PyLong_FromLongLong(results[0]);
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *result = PyLong_FromLongLong(results[i]);
    if (!result || PyTuple_SetItem(tuple, i, result) < 0) {
      Py_DECREF(tuple);
      return NULL;
    }
  }
  return tuple;
}

static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  const Kernel *kernel = PyCapsule_GetPointer(self, NULL);
  if (!kernel) return NULL;
  Call call;
  call.expected = kernel->arguments;
  call.n_words = call.n_buffers = 0;
  PyObject *result = NULL;
  for (Py_ssize_t i = 0; i < count; i++)
    if (take(&call, arguments[i]) < 0) goto end;
  if (call.expected[0] != 0) {
    PyErr_SetString(PyExc_TypeError, "too few arguments");
    goto end;
  }
  int64_t results[MOST_RESULTS];
  void *error = NULL;
  int status;
  Py_BEGIN_ALLOW_THREADS;
  status = kernel->entries[level](results, &error, NULL, NULL, MOST_WORDS, 8, call.words, MOST_WORDS, 8);
  Py_END_ALLOW_THREADS;
  if (status == 0 || status == -2)
    result = returned(results, kernel->results);
  else
    PyErr_Format(PyExc_SystemError, "the kernel %s failed with status %d", kernel->name, status);
end:
  while (call.n_buffers > 0) PyBuffer_Release(&call.buffers[--call.n_buffers]);
  return result;
}

static int add_kernels(PyObject *kernels_by_name) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    Kernel *kernel = &kernels[i];
    const char *dot = strrchr(kernel->name, '.');
    kernel->method = (PyMethodDef){dot + 1, (PyCFunction)(void (*)(void))call_kernel, METH_FASTCALL, NULL};
    PyObject *self = PyCapsule_New(kernel, NULL, NULL);
    PyObject *function = self ? PyCFunction_New(&kernel->method, self) : NULL;
    Py_XDECREF(self);
    int status = function ? PyDict_SetItemString(kernels_by_name, kernel->name, function) : -1;
    Py_XDECREF(function);
    if (status < 0) return -1;
  }
  return 0;
}

static PyObject *use(PyObject *Py_UNUSED(self), PyObject *argument) {
  long wanted = PyLong_AsLong(argument);
  if (wanted == -1 && PyErr_Occurred()) return NULL;
  if (wanted < 0 || wanted > level_of_processor()) {
    PyErr_Format(PyExc_ValueError, "the processor has no level %ld", wanted);
    return NULL;
  }
  level = (int)wanted;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"use", use, METH_O, "Use the kernels for a lower level of processors: a number from 0 on."}, {NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_library", "Compiled kernels.", -1, functions};

PyMODINIT_FUNC PyInit__library(void) {
  level = level_of_processor();
  PyObject *module = PyModule_Create(&definition);
  PyObject *by_name = module ? PyDict_New() : NULL;
  if (!by_name || add_kernels(by_name) < 0 || PyModule_AddObjectRef(module, "KERNELS", by_name) < 0 ||
      PyModule_AddIntConstant(module, "LEVEL", level) < 0 || PyModule_AddStringConstant(module, "STAMP", STAMP) < 0 ||
      PyModule_AddStringConstant(module, "SOURCES", SOURCES) < 0) {
    Py_XDECREF(by_name);
    Py_XDECREF(module);
    return NULL;
  }
  Py_DECREF(by_name);
  return module;
}
