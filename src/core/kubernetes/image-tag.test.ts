import { describe, expect, it } from '@jest/globals';
import { imageTag } from './image-tag.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('imageTag', () => {
  it.each([
    ['nginx', 'latest'],
    ['nginx:1.29', '1.29'],
    ['library/nginx', 'latest'],
    ['localhost/app', 'latest'],
    ['localhost:5000/team/app', 'latest'],
    ['registry.example.com:5000/team/app:v1', 'v1'],
    ['[2001:db8::1]:5000/app:v1', 'v1'],
    ['REGISTRY/app:v1', 'v1'],
    [`app@${DIGEST}`, ''],
    [`app:v1@${DIGEST}`, 'v1'],
    ['app@sha256:abc', ''],
    [`app@md5:${'a'.repeat(32)}`, ''],
    ['App:v1', ''],
    [' app', ''],
    ['', ''],
    ['app:', ''],
    ['a'.repeat(64), ''],
    [`${'b'.repeat(250)}:v1`, ''],
  ])('of %j is %j', (image, want) => {
    expect(imageTag(image)).toBe(want);
  });
});
