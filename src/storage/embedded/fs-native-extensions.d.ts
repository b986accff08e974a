/** The declarations used here of a package without types. */
declare module 'fs-native-extensions' {
  /** Acquires an exclusive lock on an open file: on the open file description on Linux, by `flock` on macOS. */
  export function tryLock(fd: number): boolean;
}
