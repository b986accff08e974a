import { FindManifestFindings } from '../../app/findings/find-manifest-findings.js';
import { ListFindings } from '../../app/findings/list-findings.js';
import { ListFindingsOfClusters } from '../../app/findings/list-findings-of-clusters.js';
import type { WithManifests } from '../../app/manifests/manifest-checks.js';
import type { RequestOf } from '../../app/request-of.js';
import { defined } from '../../core/collections/defined.js';
import * as findings from '../../contract/findings/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** Likely mistakes in tolerations and taints. */
export const FINDING_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(findings.listFindings, ListFindings),
  answeredBy(findings.listFindingsOfClusters, ListFindingsOfClusters),
  answeredBy(findings.findManifestFindings, FindManifestFindings),
  answeredBy(findings.findManifestFindingsAlone, FindManifestFindings, {
    ask: (
      findManifestFindings,
      { manifest, manifests }: RequestOf<typeof findings.findManifestFindingsAlone> & WithManifests,
      context,
    ) => findManifestFindings.run({ readAt: defined({ manifests }), manifest }, context),
  }),
];
