import { contextOfService } from '../app/context-of-service.js';
import { ServiceError } from '../app/errors/service-error.js';
import { ManifestChecks } from '../app/manifests/manifest-checks.js';
import { NOTHING_KEPT, ReadDigest } from '../app/reads/read-digest.js';
import { ReadState } from '../app/reads/read-state.js';
import type { ResolvedRevision } from '../app/reads/resolve-revision.js';
import type { RequestContext } from '../app/request-context.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { ScenarioStates } from '../app/states/scenario-states.js';
import { defined } from '../core/collections/defined.js';
import type { JsonObject } from '../core/json/json-value.js';
import { findFields } from '../core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../core/kubernetes/manifests/manifest-object.js';
import type { Page, PageRequest } from '../contract/page.js';
import type { GroupedPages, Question } from '../contract/question.js';
import type { Revision } from '../storage/revision.js';
import type { Answer, Answers, Asking } from './answers.js';
import { CommandFailed, exitCodeOfError } from './command-failed.js';
import { useCaseFor } from './local-use-cases.js';
import type { ClusterReading } from './read-cluster.js';
import { unreadLines } from './unread-lines.js';

/** The name of the only cluster in requests: that of a context need not be a valid one. */
const HERE = 'here';

/** What the use cases are made of: those of the service read from Postgres instead. */
export interface LocalParts {
  readonly readState: ReadState;
  readonly readDigest: ReadDigest;
  readonly digests: DerivedStateCache;
  readonly resolved: ResolvedRevision;
  readonly reading: ClusterReading;
}

/** Answers with the use cases of the service, on a cluster that was just read. */
export class LocalAnswers implements Answers {
  readonly unread: readonly string[];
  private readonly parts: LocalParts;

  constructor(
    readonly cluster: string,
    reading: ClusterReading,
    private readonly signal: AbortSignal,
    /** `now`: the time of all answers; by default that of each question. */
    private readonly options: { readonly now?: Date; readonly rulesVersion?: string | undefined } = {},
  ) {
    this.unread = unreadLines(reading.leftOut.filter(({ isDenied }) => isDenied));
    const resolved = resolvedOf(cluster, reading);
    const digests = new DerivedStateCache();
    const readState = new ReadState(
      { resolve: () => Promise.resolve(resolved) },
      {
        of: (_revision, _intents, _signal, rules = reading.state.rules) => Promise.resolve(reading.state.under(rules)),
      },
      new ScenarioStates(digests),
    );
    const readDigest = new ReadDigest(readState, NOTHING_KEPT);
    this.parts = { readState, readDigest, digests, resolved, reading };
  }

  async ask<Of extends Question>(question: Of, asking: Asking<Of>): Promise<Answer<Of>> {
    const { response, readsRevision } = question;
    const { rulesVersion } = this.options;
    const { pod } = asking as { readonly pod?: JsonObject };
    const page: PageRequest = { size: EVERYTHING, afterName: 'continue' };
    const request = {
      ...(response.kind === 'list' && response.groups !== undefined && { view: 'groups' }),
      ...asking,
      cluster: HERE,
      ...(readsRevision === true && { readAt: defined({ rulesVersion, manifests: pod && checksOf(pod) }) }),
      ...(response.kind === 'list' && { page }),
      root: '',
    };
    try {
      const useCase = await useCaseFor(question, this.parts);
      const answer = await useCase(request, this.context());
      return (response.kind === 'list' ? await wholeList(answer as Listed, request.view, page) : answer) as Answer<Of>;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { details } = error;
      throw new CommandFailed(
        // There is only one.
        error.message.replace(/ in this revision\b/, ''),
        details.length < 2 ? [] : details.map(({ field, message }) => `${field ? `${field}: ` : ''}${message}`),
        exitCodeOfError(error.code),
      );
    }
  }

  private context(): RequestContext {
    return contextOfService(this.options.now ?? new Date(), this.signal);
  }
}

/** Fields are not checked, whose warnings nobody would see. */
function checksOf(pod: JsonObject): ManifestChecks {
  const { apiVersion, kind } = pod as { readonly apiVersion: string; readonly kind: string };
  const object: ManifestObject = {
    source: { document: 0, pointer: '' },
    ...{ apiVersion, kind, namespace: undefined, name: '', value: pod },
  };
  return new ManifestChecks([{ object, fields: findFields(object, undefined), fieldValidation: 'Ignore' }]);
}

/** A size of pages that no list has. */
const EVERYTHING = 100_000_000;

interface Listed {
  readonly page?: Pick<Page<unknown>, 'items'>;
  readonly pages?: GroupedPages<unknown, unknown>;
}

async function wholeList(
  { page, pages, ...head }: Listed,
  view: string | undefined,
  all: PageRequest,
): Promise<object> {
  if (pages === undefined) return { ...head, items: itemsOf(page!) };
  const isGrouped = view === 'groups';
  const shown = itemsOf(await (isGrouped ? pages.groups(all) : pages.items(all)));
  return { ...head, groups: isGrouped ? shown : [], items: isGrouped ? [] : shown };
}

const itemsOf = ({ items }: Pick<Page<unknown>, 'items'>): readonly unknown[] => items.map(({ item }) => item);

function resolvedOf(
  name: string,
  { state, capturedAt, kubernetesVersion, apiServerVersion }: ClusterReading,
): ResolvedRevision {
  const loadedKinds = [...state.loadedKinds];
  const revision: Revision = {
    clusterId: 1,
    number: 1,
    kind: 'snapshot',
    capturedAt,
    receivedAt: capturedAt,
    backfill: false,
    source: null,
    author: null,
    scope: { kinds: loadedKinds, namespaces: null },
    loadedKinds,
    kubernetesVersion,
    declaredVersion: null,
    apiServerVersion,
    stats: null,
    counts: new Map(),
    resourceVersions: new Map(),
    unconfirmedNodes: 0,
  };
  return { cluster: { id: 1, name, labels: {}, createdAt: capturedAt, headRevision: 1 }, revision };
}
