/** Writes text for a terminal: colour only if the output is a terminal, and lines no wider than it. */
export class Terminal {
  private readonly colours: boolean;
  private readonly width: number;

  constructor(private readonly out: NodeJS.WriteStream) {
    // A stream that is not a terminal has neither of these, contrary to its type.
    const { isTTY, columns } = out as Partial<NodeJS.WriteStream>;
    this.colours = isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
    this.width = Math.min(columns ?? 110, 110);
  }

  line(text = ''): void {
    this.out.write(`${text}\n`);
  }

  /** Writes prose, wrapped between words and indented. Use `line` for commands and text from files. */
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

  /** Writes rows in columns as wide as their longest cell. */
  table(rows: readonly (readonly string[])[], indent = 3): void {
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
    for (const row of rows) {
      const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      this.line(' '.repeat(indent) + cells.join('  ').trimEnd());
    }
  }

  /** Writes lines unchanged, such as YAML. */
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
