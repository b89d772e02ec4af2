import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requireShared } from '../../src/platform/shared-folder.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('folders are marked as shared if all of them are there, otherwise none is', async () => {
  const folder = tempFolder()
  const [there, missing] = [join(folder, 'there'), join(folder, 'missing')]
  mkdirSync(there)
  expect(await commandLine(['workers', 'share', there, missing], {})).toMatchObject({
    ...{ code: 3, out: '', err: expect.stringContaining(`there is no folder ${missing}`) },
  })
  expect(existsSync(missing)).toBe(false)
  expect(() => requireShared(there)).toThrow('has no .audience-shared')
  expect(await commandLine(['workers', 'share', there], {})).toMatchObject({ code: 0 })
  expect(() => requireShared(there)).not.toThrow()
})

test.each([['drain'], ['undrain']])(
  'with a state in a folder there is nothing to %s, and it says what to do instead',
  async (act) => {
    expect(await commandLine(['workers', act, 'web1'], { cwd: tempFolder() })).toMatchObject({
      ...{
        code: 3,
        out: '',
        err: expect.stringMatching(/which only one audience start works on[\s\S]*stop it with SIGTERM or Ctrl-C/),
      },
    })
  },
)
