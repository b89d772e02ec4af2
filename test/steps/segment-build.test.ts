import { expect, test } from 'vitest'
import { buildOf, noteBuild } from '../../src/steps/segment-build.ts'
import { stillService } from './support/still-service.ts'

const AT = { runId: 'r', stepKey: 'k', attempt: 2 }

/** The build of a segment after a step with these outputs. */
async function buildAfter(outputs: object | undefined, segment: object) {
  const services = stillService({})
  const step = { context: AT, services } as unknown as Parameters<typeof noteBuild>[1]
  if (outputs) await noteBuild({ ...outputs }, step)
  return buildOf({ id: 's', ...segment }, services)
}

test.each([
  ['its job', { segmentId: 's', jobId: '5' }, {}, '5'],
  ['its job and the file that it shows', { segmentId: 's', jobId: '5' }, { segmentFileName: 'a.csv' }, '5 a.csv'],
  ['the try that built it, if no job is known', { segmentId: 's' }, {}, 'r/k/2'],
  ['the file that it shows, if nobody here built it', undefined, { segmentFileName: 'a.csv' }, 'a.csv'],
  ['nothing, if another one was built', { segmentId: 't', jobId: '5' }, {}, undefined],
  ['nothing, if no segment is known that was built', { jobId: '5' }, { segmentFileName: null }, undefined],
])('a build is known by %s', async (_, outputs, segment, build) => {
  expect(await buildAfter(outputs, segment)).toBe(build)
})
