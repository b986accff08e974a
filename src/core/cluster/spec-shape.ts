import { parseJson } from '../json/lossless-json.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { PodAffinityTerm, PodSpec } from '../kubernetes/objects/pod.js';
import { hostPortsOf, type HostPort } from './host-ports.js';
import type { UnreadLines } from './unread-text.js';

/** What is known of a spec without reading it. */
export interface SpecFacts {
  readonly tolerationSetId: number;
  /** `spec.priority`, or 0 if it is absent (`corev1helpers.PodPriority`). */
  readonly priority: number;
  /** Whether a pod with this spec uses ports on its node. */
  readonly hasHostPorts: boolean;
  /** Whether it has required anti-affinity. */
  readonly hasRequiredAntiAffinity: boolean;
}

const NONE: readonly never[] = [];

/** A pod spec that several pods share, with the values that the scheduler needs, computed once. */
export class SpecShape implements SpecFacts {
  readonly tolerationSetId: number;
  readonly priority: number;
  readonly hasHostPorts: boolean;
  readonly hasRequiredAntiAffinity: boolean;
  private read: PodSpec | undefined;
  private ports: readonly HostPort[] | undefined;

  private constructor(
    facts: SpecFacts,
    private readonly rules: KubernetesRules,
    private lines: UnreadLines | undefined,
    private readonly line: number,
  ) {
    this.tolerationSetId = facts.tolerationSetId;
    this.priority = facts.priority;
    this.hasHostPorts = facts.hasHostPorts;
    this.hasRequiredAntiAffinity = facts.hasRequiredAntiAffinity;
  }

  static of(spec: PodSpec, tolerationSetId: number, rules: KubernetesRules): SpecShape {
    const ports = hostPortsOf(spec, rules);
    const facts = {
      tolerationSetId,
      priority: spec.priority ?? 0,
      hasHostPorts: ports.length > 0,
      hasRequiredAntiAffinity: requiredAntiAffinityOf(spec).length > 0,
    };
    const shape = new SpecShape(facts, rules, undefined, 0);
    shape.read = spec;
    shape.ports = ports;
    return shape;
  }

  /** One that is read when it is asked for. @param line of its JSON */
  static unread(facts: SpecFacts, rules: KubernetesRules, lines: UnreadLines, line: number): SpecShape {
    return new SpecShape(facts, rules, lines, line);
  }

  get spec(): PodSpec {
    if (this.read === undefined) {
      this.read = parseJson(this.lines!.take(this.line), { isTrusted: true }) as unknown as PodSpec;
      this.lines = undefined;
    }
    return this.read;
  }

  /** The ports that a pod with this spec uses on its node. */
  get hostPorts(): readonly HostPort[] {
    return this.hasHostPorts ? (this.ports ??= hostPortsOf(this.spec, this.rules)) : NONE;
  }

  /** `podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution`. */
  get requiredAntiAffinity(): readonly PodAffinityTerm[] {
    return this.hasRequiredAntiAffinity ? requiredAntiAffinityOf(this.spec) : NONE;
  }
}

const requiredAntiAffinityOf = ({ affinity }: PodSpec): readonly PodAffinityTerm[] =>
  affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? NONE;
