import { type Command, InvalidArgumentError, Option } from 'commander';
import { faultOfVersion } from '../core/kubernetes/cluster-version.js';
import { CommandFailed } from './command-failed.js';
import type { KubectlOptions } from './kubectl.js';

/** Options of every command that asks about a cluster. */
export interface ClusterOptions extends KubectlOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly cluster?: string;
  readonly namespace?: string;
  readonly output?: string;
  readonly watch?: true;
  readonly rulesVersion?: string;
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** A version as it is given. @throws {InvalidArgumentError} */
export function versionOf(text: string): string {
  const fault = faultOfVersion(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(fault);
}

/** Adds the options of a command that asks about a cluster. */
export function onCluster(command: Command): Command {
  return command
    .option(
      '-o, --output <form>',
      'json, yaml, kyaml, wide, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,...; by default text for people',
    )
    .option(
      '--rules-version <version>',
      'answer by the rules of this version of Kubernetes, such as 1.34; by default those of the cluster',
      versionOf,
    )
    .optionsGroup('Options of kubectl:')
    .option('--context <name>', 'the context of the kubeconfig to use')
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--user <name>', 'the user of the kubeconfig to use')
    .option('--as <name>', 'the user to impersonate')
    .option('--as-group <group>', 'a group to impersonate; can be repeated', collect)
    .option('--request-timeout <time>', 'the longest time for one request to the API server, such as 30s')
    .optionsGroup('Ask a service instead of the cluster:')
    .option('--server <url>', 'address of a kube-placement service')
    .option('--token-file <file>', 'file with a token for the service; by default $KUBE_PLACEMENT_TOKEN')
    .option('--cluster <name>', 'name of the cluster in the service')
    .optionsGroup('Options:');
}

export const onNamespace = (command: Command): Command =>
  command.option('-n, --namespace <name>', 'the namespace; by default that of the context');

/** Of a command about something in one namespace: `-A` is refused with the reason. */
export const onOneNamespace = (command: Command): Command =>
  refusing(onNamespace(command), '-A, --all-namespaces', 'this is about one namespace: name it with --namespace');

/** Of a command about the whole cluster: `-A` says so, and `-n` is refused with the reason. */
export const onAllNamespaces = (command: Command): Command =>
  refusing(
    command.option('-A, --all-namespaces', 'all namespaces, as always here'),
    '-n, --namespace <name>',
    'this is about the whole cluster: leave out --namespace',
  );

/** Refuses an option that users of kubectl may expect. */
function refusing(command: Command, flags: string, why: string): Command {
  const option = new Option(flags).hideHelp();
  return command.addOption(option).hook('preAction', (asked) => {
    if (option.attributeName() in asked.opts()) throw new CommandFailed(why);
  });
}

export const onWatch = (command: Command): Command =>
  command.option('-w, --watch', 'go on, and print the answer anew whenever it has changed');

/** Options of a command that reads manifests. */
export interface FileOptions {
  readonly filename?: readonly string[];
}

export const onFiles = (command: Command): Command =>
  command.option(
    '-f, --filename <file>',
    'file or folder with manifests, YAML or JSON; - for standard input; can be repeated',
    collect,
  );
