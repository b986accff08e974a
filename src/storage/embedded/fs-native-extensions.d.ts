/** The part that is used here of a package that brings no types. */
declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open file: of the open file description on Linux, by `flock` on macOS. */
  export function tryLock(fd: number): boolean;
}
