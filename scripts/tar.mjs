/** A tar archive (POSIX ustar) of regular files, the same for the same content. */
export const tar = (files) =>
  Buffer.concat([
    ...files.flatMap(({ name, content, mode }) => [
      header(name, content.length, mode),
      content,
      padding(content.length),
    ]),
    Buffer.alloc(2 * BLOCK),
  ]);

const BLOCK = 512;

const padding = (size) => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function header(name, size, mode) {
  const block = Buffer.alloc(BLOCK);
  const number = (value, at, digits) => block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write(name, 0, 100, 'utf8');
  number(mode, 100, 7);
  number(0, 108, 7);
  number(0, 116, 7);
  number(size, 124, 11);
  number(0, 136, 11);
  block.write('0', 156, 'latin1');
  block.write('ustar\0' + '00', 257, 'latin1');
  // The sum counts its own place as blanks.
  block.fill(' ', 148, 156);
  number(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}
