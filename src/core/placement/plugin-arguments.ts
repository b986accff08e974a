import type { ArgumentsDeclaration } from './arguments-declaration.js';
import { defaultPreemptionArguments } from './plugins/default-preemption/arguments.js';
import { dynamicResourcesArguments } from './plugins/dynamic-resources/arguments.js';
import { interPodAffinityArguments } from './plugins/inter-pod-affinity/arguments.js';
import { nodeAffinityArguments } from './plugins/node-affinity/arguments.js';
import { nodeResourcesBalancedAllocationArguments } from './plugins/node-resources-balanced-allocation/arguments.js';
import { nodeResourcesFitArguments } from './plugins/node-resources-fit/arguments.js';
import { podTopologySpreadArguments } from './plugins/pod-topology-spread/arguments.js';
import { volumeBindingArguments } from './plugins/volume-binding/arguments.js';

/** The arguments that Kubernetes' own plugins take, by the plugin's name. */
export const ARGUMENTS = {
  DefaultPreemption: defaultPreemptionArguments,
  DynamicResources: dynamicResourcesArguments,
  InterPodAffinity: interPodAffinityArguments,
  NodeAffinity: nodeAffinityArguments,
  NodeResourcesBalancedAllocation: nodeResourcesBalancedAllocationArguments,
  NodeResourcesFit: nodeResourcesFitArguments,
  PodTopologySpread: podTopologySpreadArguments,
  VolumeBinding: volumeBindingArguments,
} as const;

/** A plugin that takes arguments. */
export type ArgumentsOwner = keyof typeof ARGUMENTS;

/** What plugins read, whether a profile enables them or not. */
export type PluginArguments = {
  readonly [Owner in ArgumentsOwner as Uncapitalize<Owner>]: ReturnType<(typeof ARGUMENTS)[Owner]['read']>;
};

type AnyArguments = ArgumentsDeclaration<object, unknown>;

/** How a plugin's arguments are written and read; undefined for one that takes none. */
export function argumentsOf(plugin: ArgumentsOwner): AnyArguments;
export function argumentsOf(plugin: string): AnyArguments | undefined;
export function argumentsOf(plugin: string): AnyArguments | undefined {
  return isArgumentsOwner(plugin) ? ARGUMENTS[plugin] : undefined;
}

export const isArgumentsOwner = (plugin: string): plugin is ArgumentsOwner => Object.hasOwn(ARGUMENTS, plugin);

/** What every plugin reads of arguments as `writtenOf` gives them, defaulted. */
export function readArguments(writtenOf: (owner: ArgumentsOwner) => object): PluginArguments {
  const read = Object.keys(ARGUMENTS).map((name) => {
    const owner = name as ArgumentsOwner;
    return [uncapitalized(owner), argumentsOf(owner).read(writtenOf(owner))];
  });
  return Object.fromEntries(read) as PluginArguments;
}

const uncapitalized = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

/** What plugins read where a configuration says nothing. */
export const DEFAULT_ARGUMENTS: PluginArguments = readArguments((owner) => argumentsOf(owner).defaults({}));
