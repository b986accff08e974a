import { FindManifestFindings } from '../../app/findings/find-manifest-findings.js';
import { ListFindings } from '../../app/findings/list-findings.js';
import { ListFindingsOfClusters } from '../../app/findings/list-findings-of-clusters.js';
import * as findings from '../../contract/findings/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** Likely mistakes in tolerations and taints. */
export const FINDING_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(findings.listFindings, ListFindings),
  answeredBy(findings.listFindingsOfClusters, ListFindingsOfClusters),
  answeredBy(findings.findManifestFindings, FindManifestFindings),
  answeredBy(findings.findManifestFindingsAlone, FindManifestFindings, {
    ask: (findManifestFindings, { manifest }, context) => findManifestFindings.run({ readAt: {}, manifest }, context),
  }),
];
