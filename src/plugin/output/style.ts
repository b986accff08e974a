/** How text is laid out for where it goes. */
export interface Style {
  /** In characters; Infinity if the output is not a terminal. */
  readonly width: number;
  readonly hasColour: boolean;
  /** Whether more is wanted: `-o wide`. */
  readonly isWide: boolean;
}

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const CODES: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

export const coloured = (text: string, colour: Colour, { hasColour }: Style): string =>
  hasColour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;

/** The style for a stream: colours only on a terminal, and not if NO_COLOR is set (https://no-color.org). */
export function styleOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  { env, isWide }: { readonly env: NodeJS.ProcessEnv; readonly isWide: boolean },
): Style {
  const isTerminal = stream.isTTY === true;
  const wantsNone = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return { width: isTerminal ? (stream.columns ?? 80) : Infinity, hasColour: isTerminal && !wantsNone, isWide };
}

/** Replaces what could move the cursor of a terminal, except the colours above; names and messages come from the cluster. */
export const safeForTerminal = (text: string): string =>
  text.replace(/\u001b\[(?:0|1|2|31|32|33)m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (found) =>
    found.length > 1 ? found : '\ufffd',
  );
