import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNamed } from '../../src/platform/open-regular.ts'
import { inspectFile } from '../../src/steps/inspect-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  ['people.csv', 'check its path and its permissions'],
  ['inbox/.taken/nightly.drop/1-a~b/people.csv', 'put it back with `audience files drop-again`'],
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

test('a stop while the file is opened is the reason of the end, and nothing is left to fail later', async () => {
  const path = join(tempFolder(), 'people.csv')
  writeFileSync(path, 'p1@x.test\n')
  const stop = new AbortController()
  const found = inspectFile(path, { signal: 'EMAIL', minimumShare: 0 }, stop.signal, (name) => {
    stop.abort(new Error('stopped'))
    return openNamed(name)
  })
  // An error that nobody waits for would fail this file of tests.
  await expect(found).rejects.toThrow('stopped')
})
