import { mkdirSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderIdentity, folderIdentityOn, folderNumber, realPath } from '../../src/platform/real-path.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** `here/leads` is a link to `real/inner`. There, `away` is a link to `../missing`, and `round` is a link to itself. */
function links(): string {
  const folder = realpathSync(tempFolder())
  for (const name of ['here', 'real/inner']) mkdirSync(join(folder, name), { recursive: true })
  symlinkSync('../real/inner', join(folder, 'here/leads'))
  symlinkSync('../missing', join(folder, 'real/inner/away'))
  symlinkSync('round', join(folder, 'real/inner/round'))
  return folder
}

test.each([
  ['here/leads', 'real/inner'],
  ['here/leads/new/file.csv', 'real/inner/new/file.csv'],
  // Not here/missing: a link leads on from where it really is.
  ['here/leads/away', 'real/missing'],
  ['here/leads/away/file.csv', 'real/missing/file.csv'],
])('%s is really %s, whether it exists or not', async (path, real) => {
  const folder = links()
  expect(realPath(join(folder, path))).toBe(join(folder, real))
  const [name, number] = folderIdentity(join(folder, path))
  expect(name).toBe(join(folder, real))
  const above = real.startsWith('real/inner') ? 'real/inner' : 'real'
  expect(number).toBe(join(folderNumber(statSync(join(folder, above))), real.slice(above.length)))
  expect(await folderIdentityOn({ stat, realpath, readlink }, join(folder, path))).toEqual([name, number])
})

test('a link that goes round in circles has an identity all the same', () => {
  const folder = links()
  expect(realPath(join(folder, 'real/inner/round'))).toBe(join(folder, 'real/inner/round'))
  expect(folderIdentity(join(folder, 'real/inner/round'))[0]).toBe(join(folder, 'real/inner/round'))
})
