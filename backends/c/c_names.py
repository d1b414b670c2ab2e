"""Names in C: what is one, and those that C, its library, POSIX, C++ or Arduino have for something else."""

from __future__ import annotations

import re

KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    bool true false nullptr constexpr typeof typeof_unqual static_assert thread_local alignas alignof asm
    linux unix i386
"""
CPP = """
    and and_eq bitand bitor catch class compl concept consteval constinit const_cast co_await co_return co_yield
    decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator or or_eq
    private protected public reinterpret_cast requires static_cast template this throw try typeid typename using
    virtual xor xor_eq char8_t char16_t char32_t
"""
"""What C++ keeps for itself: headers are read by both."""
MATH = """
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 frexp ilogb ldexp log log10
    log1p log2 logb modf scalbn scalbln scalb cbrt fabs hypot pow pow10 sqrt erf erfc lgamma tgamma gamma ceil floor
    nearbyint rint lrint llrint round lround llround roundeven trunc fmod remainder remquo drem copysign nan nextafter
    nexttoward fdim fmax fmin fma significand finite j0 j1 jn y0 y1 yn sincos
"""
"""Of each there is one that ends in f, and one that ends in l."""
CLASSES = """
    fpclassify isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal islessgreater
    isunordered signgam math_errhandling float_t double_t NAN INFINITY HUGE_VAL I complex imaginary
"""
STANDARD = """
    main abs labs llabs div ldiv lldiv div_t ldiv_t lldiv_t atof atoi atol atoll strtod strtof strtold strtol strtoll
    strtoul strtoull rand srand random srandom malloc calloc realloc free abort exit atexit quick_exit at_quick_exit
    getenv setenv unsetenv putenv system bsearch qsort mblen mbtowc wctomb mbstowcs wcstombs aligned_alloc alloca
    errno assert NULL offsetof size_t ssize_t ptrdiff_t wchar_t wint_t max_align_t EOF BUFSIZ
    memcpy memmove memset memcmp memchr mempcpy memccpy strcpy strncpy strcat strncat strcmp strncmp strcoll strxfrm
    strchr strrchr strspn strcspn strpbrk strstr strtok strerror strlen strnlen strdup strndup index rindex bcmp bcopy
    bzero ffs isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower
    toupper isascii toascii time clock difftime mktime asctime ctime gmtime localtime strftime nanosleep timer_t time_t
    clock_t tm setjmp longjmp jmp_buf signal raise sig_atomic_t locale setlocale localeconv va_list va_arg va_start
    FILE fpos_t stdin stdout stderr remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf
    fscanf printf scanf snprintf sprintf sscanf vfprintf vprintf vsprintf vsnprintf fgetc fgets fputc fputs getc
    getchar gets putc putchar puts ungetc fread fwrite fgetpos fseek fsetpos ftell rewind clearerr feof ferror perror
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t imaxabs
    imaxdiv
"""
POSIX = """
    read write open close creat lseek pipe dup dup2 fork execv execve execl execvp wait waitpid kill pause alarm sleep
    usleep link unlink symlink readlink access stat fstat lstat chmod chown chdir getcwd mkdir rmdir opendir readdir
    closedir select poll socket connect bind listen accept send recv sendto recvfrom shutdown getpid getppid getuid
    environ environment nice sync truncate ftruncate mmap munmap mprotect popen pclose fileno fdopen getline getopt
    sigaction sigprocmask swab ioctl fcntl flock basename dirname glob regcomp regexec search hsearch lsearch lfind
    tsearch insque remque daemon err warn errx warnx uint ushort ulong u_int dlopen dlsym dlclose
"""
ARDUINO = """
    setup loop min max constrain map sq radians degrees bit lowByte highByte bitRead bitWrite word byte boolean delay
    millis micros yield tone randomSeed interrupts noInterrupts F
"""
MACROS = "HIGH LOW INPUT OUTPUT PI TWO_PI HALF_PI EULER DEC HEX OCT BIN"
"""Arduino's, which mean something else wherever they stand."""
OWN = "memory workspace status error done no_memory interrupted"
"""Variables and labels of the functions that are written."""


RESERVED = frozenset(
    {f"{name}{end}" for name in MATH.split() for end in ("", "f", "l")}
    | {name for text in (KEYWORDS, CPP, CLASSES, STANDARD, MACROS, OWN) for name in text.split()}
)
"""Names that mean something else in a file."""
LINKED = RESERVED | {*POSIX.split(), *ARDUINO.split()}
"""Names that mean something else in a program that a file is linked to."""
PATTERN = re.compile(
    r"gp_.*|GP_.*|U?INT\w*_(MIN|MAX|C|WIDTH)|(SIZE|PTRDIFF|WCHAR|WINT|SIG_ATOMIC)_(MIN|MAX)|[DFL]?M_\w+"
)
"""More of these: those of what the files have besides a program, and macros."""


def identifier(name: str) -> str:
    """A name that C takes, and that none of the file's own functions and macros may have."""
    text = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "program"
    return f"f_{text}" if text[0].isdigit() or PATTERN.fullmatch(text) else text


def function_name(name: str) -> str:
    """The name of a function that others link with: `program_exp` for exp, which C has."""
    text = identifier(name)
    return f"program_{text}" if text in LINKED else text


__all__ = ["RESERVED", "function_name", "identifier"]
