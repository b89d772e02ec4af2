import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inspectFile } from '../../src/steps/inspect-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  ['people.csv', 'check its path and its permissions'],
  ['inbox/.taken/nightly.drop/1-a~b/people.csv', 'put it back: that starts a run'],
])('the error for a missing file, %s, says what to do', async (name, hint) => {
  const found = inspectFile(
    join(tempFolder(), name),
    { signal: 'EMAIL', minimumShare: 0 },
    new AbortController().signal,
  )
  await expect(found).rejects.toMatchObject({
    message: expect.stringMatching(/^there is no file .*people\.csv$/),
    hint: expect.stringContaining(hint),
  })
})
