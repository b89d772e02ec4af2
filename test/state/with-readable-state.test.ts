import { expect, test } from 'vitest'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { withReadableState } from '../../src/state/with-readable-state.ts'
import { around } from '../support/around.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('work on a state rejects with its own error, or with what its file says', async () => {
  const state = tempFolder()
  await openEmbeddedState({ folder: state, redact: (text) => text, ...around }).close()
  const failing = (error: unknown) => withReadableState({ state }, around, () => Promise.reject(error))
  for (const own of [new Error('own'), 'a text', undefined]) await expect(failing(own)).rejects.toBe(own)
  await expect(failing(Object.assign(new Error('malformed'), { errcode: 11 }))).rejects.toMatchObject({
    code: 'state-damaged',
  })
  expect(await withReadableState({ state }, around, () => 7)).toBe(7)
})
