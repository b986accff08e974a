import { DeclareKubernetesVersion, declarationErrors } from '../../app/versions/declare-kubernetes-version.js';
import { ReadKubernetesVersion } from '../../app/versions/read-kubernetes-version.js';
import { ReviewUpgrade } from '../../app/versions/review-upgrade.js';
import { reviewUpgrade } from '../../contract/versions/upgrade-review.js';
import * as versions from '../../contract/versions/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';
import { errorsInValid } from './check-errors.js';

/** Which version of Kubernetes a cluster runs, and by which rules its questions are answered. */
export const VERSION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(versions.readKubernetesVersion, ReadKubernetesVersion),
  answeredBy(versions.declareKubernetesVersion, DeclareKubernetesVersion, {
    crossFieldErrors: errorsInValid(declarationErrors),
  }),
  answeredBy(versions.resetKubernetesVersion, DeclareKubernetesVersion, {
    ask: (declare, request, context) => declare.reset(request, context),
  }),
  answeredBy(reviewUpgrade, ReviewUpgrade),
];
