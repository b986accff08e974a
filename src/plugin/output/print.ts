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
export const FORMS = ['json', 'yaml', 'kyaml', 'wide', 'name'] as const;
export const FORMS_WITH_TEXT = ['jsonpath', 'custom-columns'] as const;

/** @throws {CommandFailed} there is no such form of output */
export function checkOutput(output: string | undefined): void {
  const [form, text] = formOf(output);
  const isKnown = text === undefined ? ['', ...FORMS].includes(form) : FORMS_WITH_TEXT.some((one) => one === form);
  if (isKnown) return;
  const all = [...FORMS, ...FORMS_WITH_TEXT.map((one) => `${one}=...`)].join(', ');
  throw new CommandFailed(`unknown output ${JSON.stringify(output)}: use one of ${all}`);
}

/** The text of an answer in a form of output; a table by default. */
export async function rendered(view: View, output: string | undefined, stream: NodeJS.WriteStream): Promise<string> {
  const [form, text = ''] = formOf(output);
  const style = styleOf(stream, { env: process.env, isWide: form === 'wide' });
  switch (form) {
    case 'json':
      return `${prettyJson(plain(view.answer))}\n`;
    case 'yaml':
      return (await import('./yaml.js')).yamlText(plain(view.answer));
    case 'kyaml':
      return (await import('./kyaml.js')).kyamlText(plain(view.answer));
    case 'jsonpath':
      return (await import('./jsonpath.js')).jsonPathTemplate(text)(plain(view.answer));
    case 'custom-columns': {
      const { customColumns } = await import('./custom-columns.js');
      return safeForTerminal(`${customColumns(text, plain(view.answer), style).join('\n')}\n`);
    }
    case 'name':
      return view
        .names()
        .map((name) => `${name}\n`)
        .join('');
    default:
      return safeForTerminal(`${view.lines(style).join('\n')}\n`);
  }
}

/** What stands between an answer and a later one. */
export function separator(output: string | undefined, at: Date): string {
  const [form] = formOf(output);
  if (form === 'yaml') return '---\n';
  return form === '' || form === 'wide' ? `\n${at.toISOString().replace(/\.\d+/, '')}\n` : '';
}

/** A form, and what follows its =. */
function formOf(output = ''): readonly [string, string | undefined] {
  const [form = '', ...rest] = output.split('=');
  return [form, rest.length === 0 ? undefined : rest.join('=')];
}

/** As it would be read from the service. */
const plain = (answer: object): JsonValue => parseJson(stringifyJson(answer));
