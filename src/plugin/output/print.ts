import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { CommandFailed } from '../command-failed.js';
import { prettyJson } from './pretty-json.js';
import { safeForTerminal, type Style, styleOf } from './style.js';

/** An answer, and how it reads. */
export interface View {
  /** For the forms that are data. */
  readonly answer: object;
  readonly lines: (style: Style) => readonly string[];
  /** What the answer is about, as `kind/name`. */
  readonly names: () => readonly string[];
}

/** The forms of output, for messages. */
const FORMS = ['json', 'yaml', 'wide', 'name'];

/** @throws {CommandFailed} there is no such form of output */
export function checkOutput(output: string | undefined): void {
  if (output === undefined || FORMS.includes(output)) return;
  throw new CommandFailed(`unknown output ${JSON.stringify(output)}: use one of ${FORMS.join(', ')}`);
}

/** The text of an answer in a form of output; a table by default. */
export async function rendered(view: View, output: string | undefined, stream: NodeJS.WriteStream): Promise<string> {
  switch (output) {
    case 'json':
      return `${prettyJson(plain(view.answer))}\n`;
    case 'yaml': {
      const { yamlText } = await import('./yaml.js');
      return yamlText(plain(view.answer));
    }
    case 'name':
      return view
        .names()
        .map((name) => `${name}\n`)
        .join('');
    default: {
      const style = styleOf(stream, { env: process.env, isWide: output === 'wide' });
      return safeForTerminal(`${view.lines(style).join('\n')}\n`);
    }
  }
}

/** As it would be read from the service. */
const plain = (answer: object): JsonValue => parseJson(stringifyJson(answer));
