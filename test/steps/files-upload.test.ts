import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { openNamed } from '../../src/platform/open-regular.ts'
import type { StepPlanDeps } from '../../src/steps/define-step.ts'
import { createForecast } from '../../src/steps/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The plan for the upload of a list whose second row has no e-mail address. */
function planned(input: JsonObject, unknown: readonly string[] = []) {
  const file = join(tempFolder(), 'people.csv')
  writeFileSync(file, 'p1@x.test\nsomebody\n')
  const deps = { openFile: openNamed, lists: { has: () => false }, signal: new AbortController().signal }
  return createForecast(deps as unknown as StepPlanDeps)({
    ...{ pipeline: 'p', stepId: 'upload', stepKey: 'upload', uses: 'files.upload', rebuilt: new Set<string>() },
    input: { file, resultContent: 'BGID', ...input },
    unknown,
  })
}

test('a plan checks the rows of a list as the run would', async () => {
  await expect(planned({ uploadSignal: 'EMAIL' })).rejects.toMatchObject({ code: 'file-unusable' })
  expect(await planned({ uploadSignal: 'EMAIL', precheck: { minimumShare: 0.5 } })).toMatchObject({ action: 'upload' })
})

test.each([
  ['the signal', {}],
  ['the share', { uploadSignal: 'EMAIL' }],
  ['the share, of a precheck that is known', { uploadSignal: 'EMAIL', precheck: {} }],
])('while %s is known only during the run, a plan refuses no rows', async (_, input) => {
  const plan = await planned(input, ['steps.before.outputs'])
  expect(plan).toMatchObject({ action: 'upload', outputs: { rows: 2, bytes: 19 }, complete: true })
})
