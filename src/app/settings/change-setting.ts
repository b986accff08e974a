import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Setting, SettingKind } from '../../core/cluster/setting.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { SettingsStore } from '../../storage/settings-store.js';
import { HeadMoved } from '../../storage/taint-trail/head-moved.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import { basisOf, type Basis } from '../reads/basis.js';
import type { RequestContext } from '../request-context.js';
import { readPrecondition } from '../taint-changes/precondition.js';
import { ChangeQueue } from '../taint-changes/change-queue.js';
import { type Working, HeadForUpdate } from '../taint-changes/head-for-update.js';

export interface SettingToChange {
  readonly cluster: string;
  readonly kind: SettingKind;
  readonly name: string;
  /** Computes the new content on this head; null deletes the setting. May throw to reject the change. */
  readonly content: (head: Working, former: Setting | undefined) => JsonObject | null;
  readonly dryRun: boolean;
  /** `"7"`: change only if the cluster is at this revision. */
  readonly ifMatch?: string | undefined;
}

export interface ChangedSetting {
  /** The revision with the setting; if nothing was stored, the one that was checked. */
  readonly basis: Basis;
  /** Whether the setting was different or absent before. */
  readonly changed: boolean;
  readonly former: Setting | undefined;
  /** The head that the change was computed on. */
  readonly head: Working;
}

/** Maximum number of attempts, since other replicas may change the head at the same time. */
const MAX_ATTEMPTS = 20;

/** Changes a setting of a cluster, as a new revision with its author, or previews the change. */
export class ChangeSetting {
  private readonly queue = new ChangeQueue();

  constructor(
    private readonly head: HeadForUpdate,
    private readonly store: SettingsStore,
  ) {}

  /**
   * @throws {ServiceError} `cluster-not-found`, `no-snapshot`, `precondition-failed`, `too-many-changes`
   * @throws whatever `content` throws
   */
  async run(setting: SettingToChange, context: RequestContext): Promise<ChangedSetting> {
    const { cluster, dryRun, ifMatch } = setting;
    checkClusterName(cluster);
    const wanted = readPrecondition(ifMatch, undefined);
    const revisions = wanted?.flatMap((one) => ('revision' in one ? [one.revision] : []));
    if (dryRun) return this.workOut(setting, revisions, context, false);
    const leave = await this.queue.enter(cluster);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.workOut(setting, revisions, context, true);
        } catch (error) {
          if (!(error instanceof HeadMoved) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    } finally {
      leave();
    }
  }

  private async workOut(
    { cluster, kind, name, content }: SettingToChange,
    wanted: readonly number[] | undefined,
    context: RequestContext,
    commit: boolean,
  ): Promise<ChangedSetting> {
    const head = await this.head.current(cluster, context);
    const { number } = head.revision;
    if (wanted !== undefined && !wanted.includes(number)) {
      throw new ServiceError(
        'precondition-failed',
        `Cluster ${cluster} is now at revision ${number}, not ${wanted.join(' or ')}.`,
      );
    }
    const former = head.state.setting(kind, name);
    const next = content(head, former);
    const basis = (revision: number): Basis =>
      basisOf({ ...head, revision: { ...head.revision, number: revision } }, context.now, context.nextDecisionId());
    if (!commit) {
      const changed = stringifyJson(former?.content ?? null) !== stringifyJson(next);
      return { basis: basis(number), changed, former, head };
    }
    try {
      const committed = await this.store.commit({
        clusterId: head.cluster.id,
        expectedHead: number,
        author: context.caller.name,
        now: context.now,
        changes: [{ kind, name, content: next }],
      });
      if (committed.changed) this.head.moved(head);
      return { basis: basis(committed.revision), changed: committed.changed, former, head };
    } catch (error) {
      this.head.moved(head);
      throw error;
    }
  }
}
