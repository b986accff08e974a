import { execFile } from 'node:child_process';
import type { Command } from 'commander';
import { CommandFailed } from './command-failed.js';
import { FORMS, FORMS_WITH_TEXT } from './output/print.js';

/** Each reads what `__complete` says: candidates with descriptions after a tab, then a directive. None needs a tool beside the shell. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_kubectl_placement() {
  local line directive found=()
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *) found+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(kubectl-placement __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${found[@]}")
  [ "$directive" = :6 ] && compopt -o nospace 2>/dev/null
  [ "$directive" = :0 ] || compopt +o default 2>/dev/null
}
complete -o default -F _kubectl_placement kubectl-placement
`,
  zsh: `#compdef kubectl-placement
compdef _kubectl-placement kubectl-placement
_kubectl-placement() {
  local line directive tab=$'\\t'
  local -a found
  while IFS= read -r line; do
    case $line in
      :*) directive=$line ;;
      *) line=\${line//:/\\\\:}; found+=("\${line/$tab/:}") ;;
    esac
  done < <(kubectl-placement __complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)
  case $directive in
    :0) _files ;;
    :6) _describe 'kubectl-placement' found -S '' ;;
    *) _describe 'kubectl-placement' found ;;
  esac
}
if [ "$funcstack[1]" = _kubectl-placement ]; then _kubectl-placement "$@"; fi
`,
  fish: `function __kubectl_placement
  set -l words (commandline -opc) (commandline -ct)
  set -l found (kubectl-placement __complete $words[2..-1] 2>/dev/null)
  if test "$found[-1]" = ':0'
    __fish_complete_path (commandline -ct)
  else
    string match -v ':*' -- $found
  end
end
complete -c kubectl-placement -f -a '(__kubectl_placement)'
`,
};

/** @throws {CommandFailed} there is none for this shell */
export function completionScript(shell: string): string {
  const script = SCRIPTS[shell];
  if (script === undefined)
    throw new CommandFailed(`no completion for ${shell}: use one of ${Object.keys(SCRIPTS).join(', ')}`);
  return script;
}

/** Of cobra: complete nothing but these, the same without a space after them, or files. Source: github.com/spf13/cobra v1.10, completions.go, `ShellCompDirective`. */
const ONLY_THESE = ':4';
const BEGINNINGS = ':6';
const FILES = ':0';

/** What an argument names, by the name of the argument. */
const RESOURCES: Readonly<Record<string, string>> = { pod: 'pods', node: 'nodes', 'node|taint': 'nodes' };

/**
 * What can stand in the place of the last word, one a line with a description after a tab, then a directive: as kubectl reads it from
 * `kubectl_complete-placement`.
 */
export async function completionsFor(program: Command, words: readonly string[]): Promise<string> {
  const [name = '', ...rest] = words;
  const last = rest.at(-1) ?? '';
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined || rest.length === 0) {
    return list(
      program.commands
        .filter((one) => !one.name().startsWith('__'))
        .map((one) => [one.name(), one.summary() || one.description()]),
      name,
    );
  }
  const former = rest.at(-2) ?? '';
  const option = command.options.find(({ short, long }) => former === short || former === long);
  if (option?.attributeName() === 'filename') return `${FILES}\n`;
  if (option?.attributeName() === 'output') {
    return list(
      [...FORMS, ...FORMS_WITH_TEXT.map((form) => `${form}=`)].map((form) => [form, '']),
      last,
    );
  }
  if (option?.attributeName() === 'node') return list(await named('nodes', rest), last);
  if (option?.required === true) return `${FILES}\n`;
  if (last.startsWith('-'))
    return list(
      command.options.filter(({ hidden }) => !hidden).map(({ long, description }) => [long ?? '', description]),
      last,
    );
  const resource = RESOURCES[command.registeredArguments[0]?.name() ?? ''];
  if (command.name() === 'completion')
    return list(
      Object.keys(SCRIPTS).map((shell) => [shell, '']),
      last,
    );
  return resource === undefined ? `${FILES}\n` : list(await named(resource, rest), last);
}

function list(candidates: readonly (readonly [string, string])[], start: string): string {
  const fitting = candidates.filter(([name]) => name.startsWith(start));
  const directive = fitting.length > 0 && fitting.every(([name]) => name.endsWith('=')) ? BEGINNINGS : ONLY_THESE;
  return `${fitting.map(([name, what]) => (what === '' ? `${name}\n` : `${name}\t${what}\n`)).join('')}${directive}\n`;
}

/** The names of objects, by kubectl; none if it does not answer soon. */
function named(resource: string, words: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const passed = words.flatMap((word, at) => {
    const isPassed = ['-n', '--namespace', '--context', '--kubeconfig'].includes(word);
    return isPassed && at < words.length - 2 ? [word, words[at + 1]!] : [];
  });
  const args = ['get', resource, '--output=name', '--request-timeout=3s', ...passed];
  return new Promise((resolve) => {
    execFile(process.env['KUBECTL_PATH'] ?? 'kubectl', args, (error, out) => {
      const names = error === null ? out.split('\n').filter((line) => line !== '') : [];
      resolve(names.map((name) => [resource === 'nodes' ? name.replace(/^node\//, '') : name, '']));
    });
  });
}
