/** The operating system and processor of an executable, as Go names them, by its header; undefined for others. */
export function platformOf(bytes) {
  if (bytes.subarray(0, 4).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]))) {
    const isBigEndian = bytes[5] === 2;
    return named('linux', ELF, isBigEndian ? bytes.readUInt16BE(18) : bytes.readUInt16LE(18));
  }
  if (bytes.readUInt32LE(0) === 0xfeedfacf) return named('darwin', MACH_O, bytes.readUInt32LE(4));
  if (bytes.toString('latin1', 0, 2) === 'MZ') {
    const header = bytes.readUInt32LE(0x3c);
    return named('windows', PE, bytes.readUInt16LE(header + 4));
  }
  return undefined;
}

const ELF = { 0x3e: 'amd64', 0xb7: 'arm64', 0x28: 'arm', 0x15: 'ppc64le', 0x16: 's390x' };
const MACH_O = { 0x01000007: 'amd64', 0x0100000c: 'arm64' };
const PE = { 0x8664: 'amd64', 0xaa64: 'arm64' };

const named = (os, machines, machine) =>
  machines[machine] === undefined ? undefined : { os, arch: machines[machine] };
