import { admissionReview } from '../../contract/admission/admission-review.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { AnsweredReview } from '../../app/webhooks/review-admission.js';
import type { Plain } from './plain.js';

export const AdmissionReviewShape = responseClass(admissionReview);
export type AdmissionReviewShape = Response<typeof admissionReview>;

export const admissionReviewShape = (review: AnsweredReview): Plain<AdmissionReviewShape> => review;
