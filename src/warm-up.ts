import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { setImmediate as otherWork } from 'node:timers/promises';
import { placementParts } from './api/questions/placement-body.js';
import { contextOfService } from './app/context-of-service.js';
import { DecisionRecorder } from './app/decisions/decision-recorder.js';
import { ServiceError } from './app/errors/service-error.js';
import { EvaluatePlacement } from './app/placements/evaluate-placement.js';
import { EvaluatedPlacements } from './app/placements/evaluated-placements.js';
import { KeptAnswers } from './app/placements/kept-answers.js';
import { orCancelled } from './app/or-cancelled.js';
import { PlacePod } from './app/placements/place-pod.js';
import { ReadState } from './app/reads/read-state.js';
import { ChangeTaints } from './app/taint-changes/change-taints.js';
import type { RequestContext } from './app/request-context.js';
import { without } from './core/collections/without.js';
import type { ClusterState } from './core/cluster/cluster-state.js';
import { IMAGE_FORM } from './core/cluster/state-image.js';
import type { JsonObject } from './core/json/json-value.js';
import { parseJson, stringifyJson } from './core/json/lossless-json.js';
import { StateImageStore } from './storage/state-image-store.js';

/** An answer takes a tenth of the time of the first ones by then, and hardly less after more. */
const ANSWERS = 2000;
/** One in so many answers previews a taint. */
const PREVIEWS = 5;
const PAGE = 100;
const TAINT = 'kube-placement.dev/warm-up:NoSchedule';

interface WarmUp {
  /** How long it may take in all, in milliseconds. 0: not at all. */
  readonly ms: number;
  readonly now: Date;
  readonly log: Logger;
}

/** What was done so far. */
interface Done {
  /** Undefined if there is no cluster. */
  cluster?: string | undefined;
  answers: number;
}

/**
 * Loads the state of the largest cluster, places pods like its pods and previews taints of its nodes, so that V8 has compiled this code before
 * the first request: the first answers of a process take ten times as long as later ones, and requests would queue up. None of these
 * answers is counted, recorded or cached, and no failure prevents the start.
 */
export async function warmUp(app: INestApplicationContext, { ms, now, log }: WarmUp): Promise<void> {
  if (ms === 0) return;
  const started = performance.now();
  const signal = AbortSignal.timeout(ms);
  const done: Done = { answers: 0 };
  try {
    // Also if the database does not answer.
    await orCancelled(answer(app, contextOfService(now, signal), done), signal);
    if (done.cluster === undefined) return;
  } catch (error) {
    if (!signal.aborted) {
      log.warn({ err: error, ...done }, 'warming up failed; the first answers take longer');
      return;
    }
  }
  log.info({ ...done, ms: Math.round(performance.now() - started) }, 'warmed up');
}

/** @throws {ServiceError} as `ReadState.run` */
async function answer(app: INestApplicationContext, context: RequestContext, done: Done): Promise<void> {
  const cluster = (done.cluster = await app.get(StateImageStore).largestCluster(IMAGE_FORM));
  if (cluster === undefined) return;
  const { state } = await app.get(ReadState).run(cluster, {}, context);
  const placePod = placingUnseen(app);
  const changeTaints = app.get(ChangeTaints);
  const { pods, nodes } = state;
  for (let index = 0; index < ANSWERS && pods.count > 0 && !context.signal.aborted; index++) {
    const page = index % 2 === 0 ? {} : ({ view: 'nodes', limit: PAGE } as const);
    try {
      if (index % PREVIEWS < PREVIEWS - 1 || nodes.count === 0) {
        const pod = podLike(state, index);
        await placePod.runOrKept({ cluster, readAt: {}, pod, ...page }, context, placementParts);
      } else {
        const node = nodes.name(Math.floor((index * nodes.count) / ANSWERS));
        const change = { root: '', cluster, nodes: [node], taints: [TAINT], reason: 'warm-up', dryRun: true };
        stringifyJson(await changeTaints.run(change, context));
      }
    } catch (error) {
      // An answer, too: for example that an admission policy refuses the pod.
      if (!(error instanceof ServiceError)) throw error;
    }
    done.answers = index + 1;
    await otherWork();
  }
}

/** As that of the application, with caches of its own, and without metrics. */
function placingUnseen(app: INestApplicationContext): PlacePod {
  const readState = app.get(ReadState);
  const known = new EvaluatedPlacements();
  const evaluate = new EvaluatePlacement(readState, known, { observeEvaluation: () => undefined });
  return new PlacePod(evaluate, readState, app.get(DecisionRecorder), new KeptAnswers(known));
}

/** The manifest of a new pod like a stored one, as a client would send it. Each has another name, so no answer is cached. */
function podLike({ pods }: ClusterState, index: number): JsonObject {
  const { metadata, spec } = pods.pod(Math.floor((index * pods.count) / ANSWERS) % pods.count);
  const { namespace, labels } = metadata;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `warm-up-${index}`, namespace, labels },
    spec: without(spec, 'nodeName'),
  };
  return parseJson(stringifyJson(pod)) as JsonObject;
}
