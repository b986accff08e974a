import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import {
  admissionConfigurationFields,
  admissionConfiguration,
  declaredAdmissionConfiguration,
} from '../../contract/admission/admission-configuration.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { GivenAdmission } from '../../core/admission/declare-admission.js';

@InputType({ isAbstract: true })
export class AdmissionConfigurationBody extends requestClass(admissionConfigurationFields) {}

export function givenAdmission(body: AdmissionConfigurationBody): GivenAdmission {
  const { plugins, enablePlugins, disablePlugins, podTolerationRestriction, podNodeSelector } = body;
  const { defaultNotReadyTolerationSeconds, defaultUnreachableTolerationSeconds, limitedResources, document } = body;
  return defined({
    plugins,
    enablePlugins,
    disablePlugins,
    defaultNotReadyTolerationSeconds,
    defaultUnreachableTolerationSeconds,
    podTolerationRestriction,
    podNodeSelector,
    limitedResources,
    document,
  });
}

export const AdmissionConfigurationShape = responseClass(admissionConfiguration);
export type AdmissionConfigurationShape = Response<typeof admissionConfiguration>;

export const DeclaredAdmissionConfigurationShape = responseClass(declaredAdmissionConfiguration);
export type DeclaredAdmissionConfigurationShape = Response<typeof declaredAdmissionConfiguration>;
