/** Text for a reader at a terminal: colour only where a terminal shows it, and lines no longer than it is wide. */
export class Terminal {
  private readonly colours: boolean;
  private readonly width: number;

  constructor(private readonly out: NodeJS.WriteStream) {
    // A stream that is no terminal has neither of these, whatever its type says.
    const { isTTY, columns } = out as Partial<NodeJS.WriteStream>;
    this.colours = isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
    this.width = Math.min(columns ?? 110, 110);
  }

  line(text = ''): void {
    this.out.write(`${text}\n`);
  }

  /** Prose, wrapped between words and indented; what is as it is in a file or a command goes through `line`. */
  prose(text: string, indent = 3): void {
    let line = '';
    for (const word of text.split(' ')) {
      if (line !== '' && indent + line.length + 1 + word.length > this.width) {
        this.line(' '.repeat(indent) + line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    this.line(' '.repeat(indent) + line);
  }

  /** Rows in columns as wide as their longest cell. */
  table(rows: readonly (readonly string[])[], indent = 3): void {
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
    for (const row of rows) {
      const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      this.line(' '.repeat(indent) + cells.join('  ').trimEnd());
    }
  }

  /** Lines as they are, such as YAML. */
  block(text: string, indent = 6): void {
    for (const line of text.trimEnd().split('\n')) this.line(' '.repeat(indent) + line);
  }

  bold(text: string): string {
    return this.styled('1', text);
  }

  dim(text: string): string {
    return this.styled('2', text);
  }

  private styled(code: string, text: string): string {
    return this.colours ? `\u001B[${code}m${text}\u001B[0m` : text;
  }
}
