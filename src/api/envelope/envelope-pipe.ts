import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { isReadByHandler } from '../contract/object-classes.js';
import { propertiesOf } from '../contract/field-decorators.js';
import { readEnvelope } from './read-envelope.js';
import { readQuery } from './read-query.js';

/** Converts bodies, GraphQL arguments and query parameters to the classes that handwritten handlers declare. */
@Injectable()
export class EnvelopePipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || propertiesOf(metatype).length === 0) return value;
    if (isReadByHandler(metatype)) return value;
    const envelopeClass = metatype as new () => object;
    if (type === 'query') return readQuery(envelopeClass, value as Record<string, unknown>);
    // An absent body is read as an empty one, so that its missing members are reported.
    return type === 'body' ? readEnvelope(envelopeClass, value ?? {}) : value;
  }
}
