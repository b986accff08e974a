import type { AnsweredReview } from '../../app/webhooks/review-admission.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';

class ReviewStatusShape {
  @Shown({ type: 'string', description: '`Failure`.', example: 'Failure' })
  status!: string;

  @Shown({ type: 'integer', description: 'The HTTP status that the API server gives.', example: 403 })
  code!: number;

  @Shown({ type: 'string', description: '`Forbidden`.', example: 'Forbidden' })
  reason!: string;

  @Shown({ type: 'string', description: 'Why.' })
  message!: string;
}

class ReviewResponseShape {
  @Shown({ type: 'string', description: 'Of the request.', example: '705ab4f5-6393-11e8-b7cc-42010a800002' })
  uid!: string;

  @Shown({ type: 'boolean', description: 'Whether the pod may go on.', example: true })
  allowed!: boolean;

  @Shown({ type: 'string', optional: true, description: '`JSONPatch`, where there is one.', example: 'JSONPatch' })
  patchType?: string;

  @Shown({ type: 'string', optional: true, description: 'The JSON Patch (RFC 6902), in base64.' })
  patch?: string;

  @Shown({ type: () => ReviewStatusShape, optional: true, description: 'Why it is refused.' })
  status?: Plain<ReviewStatusShape>;

  @Shown({ type: 'string', list: true, optional: true, description: 'What the API server tells who sent the pod.' })
  warnings?: readonly string[];

  @Shown({ type: 'labels', optional: true, description: "What goes into the API server's audit log." })
  auditAnnotations?: Labels;
}

/** `admission.k8s.io/v1` AdmissionReview, with its response. */
export class AdmissionReviewShape {
  @Shown({ type: 'string', description: '`admission.k8s.io/v1`.', example: 'admission.k8s.io/v1' })
  apiVersion!: string;

  @Shown({ type: 'string', description: '`AdmissionReview`.', example: 'AdmissionReview' })
  kind!: string;

  @Shown({ type: () => ReviewResponseShape, description: 'The answer.' })
  response!: Plain<ReviewResponseShape>;
}

export const admissionReviewShape = (review: AnsweredReview): Plain<AdmissionReviewShape> => review;
