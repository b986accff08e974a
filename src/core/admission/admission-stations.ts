import type { Pod } from '../kubernetes/objects/pod.js';
import type { PoolRules } from '../pools/pool-rules.js';
import { refusalMessage } from '../pools/refuse-intruder.js';
import { REFUSED, REFUSING_WEBHOOK } from '../pools/webhook-names.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { AdmissionConfiguration, AdmissionPluginName } from './admission-configuration.js';
import {
  PLUGIN_OF,
  type AdmissionContext,
  type AdmissionPlugin,
  type MutationStation,
  type WebhookRound,
} from './admission-plugins.js';
import { NAME as MUTATING_POLICIES } from './policies/mutating/mutating-admission-policy.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { WEBHOOK_PLUGIN, type WebhookType } from './webhooks/ask-webhooks.js';

/** The pools of the cluster stand among the plugins where the API server asks the webhooks by which it asks about pools. */
export const POOLS = 'pools';

/** A plugin of the API server, or the pools. */
export type StationName = AdmissionPluginName | typeof POOLS;

interface Station extends AdmissionPlugin {
  readonly name: AdmissionPluginName;
}

/** Notes what one station has made of a pod; `again` where it was asked a second time. */
export type Changed = (
  by: StationName,
  pod: { readonly before: Pod; readonly after: Pod },
  why: (pointer: string) => string,
  again: boolean,
) => void;

/** Notes that one station has judged a pod. */
export type Judged = (by: StationName) => void;

/** Whether the API server asks webhooks at all. */
export const asksWebhooks = ({ plugins }: AdmissionConfiguration, type: WebhookType): boolean =>
  plugins.includes(WEBHOOK_PLUGIN[type]);

/**
 * The stations that a pod passes, in the API server's order: those that change it, with the pools last, where the mutating webhooks are
 * asked; and those that judge it, with the pools before ResourceQuota, where the validating ones are.
 *
 * As soon as a mutating policy or webhook has changed a pod, the API server asks the plugins that change pods once more, and after that the
 * webhook too where they have changed anything (its `reinvocationPolicy` is `IfNeeded`, as the configuration that is written for it says). So
 * it is here.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubeapiserver/options/plugins.go; k8s.io/apiserver v0.36.2, pkg/admission/reinvocation.go and
 * pkg/admission/plugin/webhook/mutating/dispatcher.go.
 */
export class AdmissionStations {
  private readonly plugins: readonly Station[];
  private readonly adding: PoolRules | undefined;
  private readonly refusing: PoolRules | undefined;
  private readonly mutations: MutationStation | undefined;
  /** Whether the pod has come to the mutating policies and webhooks, after which anything of it may be changed. */
  hasCalledWebhooks = false;

  /** @param plugins those that are on, in order */
  constructor(
    plugins: readonly AdmissionPluginName[],
    private readonly context: AdmissionContext,
  ) {
    const { request, surroundings, configuration } = context;
    this.plugins = plugins
      .map((name) => ({ name, ...PLUGIN_OF[name] }))
      .filter(({ updates }) => updates || request.operation === 'create');
    const { pools } = surroundings;
    this.adding = request.operation === 'create' && asksWebhooks(configuration, 'mutating') ? pools : undefined;
    this.mutations = context.startMutations?.(request);
    this.refusing = asksWebhooks(configuration, 'validating') ? pools : undefined;
  }

  /** @throws {AdmissionRefusal} */
  change(sent: Pod, changed: Changed): Pod {
    const admitted = this.changeByPlugins(sent, changed, 'first');
    const pooled = this.changeByPools(admitted, changed, false);
    if (pooled !== admitted) this.callWebhooks(pooled, 'pooled');
    else if (this.mutations?.requireReinvocation !== true) return pooled;
    const again = this.changeByPlugins(pooled, changed, 'again');
    return again === pooled ? again : this.changeByPools(again, changed, true);
  }

  /**
   * What the plugins make of a pod before any webhook is called.
   *
   * @throws {AdmissionRefusal}
   */
  changeBeforeWebhooks(sent: Pod): Pod {
    return this.changeByPlugins(sent, () => undefined, 'first');
  }

  /**
   * @returns the quotas of the namespace with the pod charged to them; undefined where nobody charges
   * @throws {AdmissionRefusal}
   */
  judge(pod: Pod, judged: Judged): readonly ResourceQuota[] | undefined {
    let quotas: readonly ResourceQuota[] | undefined;
    let arePoolsAsked = false;
    for (const { name, validate } of this.plugins) {
      if (name === 'ResourceQuota') {
        this.judgeByPools(pod, judged);
        arePoolsAsked = true;
      }
      if (validate === undefined) continue;
      quotas = validate(pod, this.context) ?? quotas;
      judged(name);
    }
    if (!arePoolsAsked) this.judgeByPools(pod, judged);
    return quotas;
  }

  private changeByPlugins(sent: Pod, changed: Changed, round: 'first' | 'again'): Pod {
    let pod = sent;
    for (const { name, admit, why } of this.plugins) {
      if (name === WEBHOOK_PLUGIN.mutating) this.callWebhooks(pod, round);
      if (admit === undefined) continue;
      const before = pod;
      pod = name === MUTATING_POLICIES ? this.changeByPolicies(before, round) : admit(before, this.context);
      changed(name, { before, after: pod }, why, round === 'again');
    }
    return pod;
  }

  private changeByPolicies(pod: Pod, round: 'first' | 'again'): Pod {
    this.hasCalledWebhooks = true;
    return this.mutations?.change(pod, round) ?? pod;
  }

  private callWebhooks(pod: Pod, round: WebhookRound): void {
    this.hasCalledWebhooks = true;
    this.context.callWebhooks?.('mutating', pod, round);
  }

  private changeByPools(before: Pod, changed: Changed, again: boolean): Pod {
    if (this.adding === undefined) return before;
    const { pod: after, why } = this.adding.add(before);
    changed(POOLS, { before, after }, why, again);
    return after;
  }

  /** As `ToStatusErr` has it, k8s.io/apiserver v0.36.2, pkg/admission/plugin/webhook/errors/statuserror.go. */
  private judgeByPools(pod: Pod, judged: Judged): void {
    if (this.refusing === undefined) return;
    const { request } = this.context;
    const refusals = this.refusing.refusals(pod, request.operation === 'update' ? request.stored : undefined);
    if (refusals.length > 0) {
      const reason = refusalMessage(refusals);
      const message = `admission webhook "${REFUSING_WEBHOOK}" denied the request: ${reason}`;
      throw new AdmissionRefusal(
        POOLS,
        REFUSED,
        reason,
        message,
        refusals.map((one) => one.message),
      );
    }
    judged(POOLS);
  }
}
