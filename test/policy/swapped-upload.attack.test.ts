import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileCheck } from '../../src/policy/enforce.ts'
import { uploadOpener } from '../../src/policy/prepared-file.ts'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { testClient } from '../adapter/test-client.ts'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * A folder that documents may read, a secret outside it, and functions that replace a file or its folder with a link to
 * the secret.
 */
function place() {
  const folder = tempFolder()
  const [root, outside] = [join(folder, 'data'), join(folder, 'outside')]
  for (const each of [join(root, 'in'), outside]) mkdirSync(each, { recursive: true })
  writeFileSync(join(root, 'in', 'list.csv'), 'email\na@example.com\n')
  writeFileSync(join(outside, 'list.csv'), 'secret\n')
  const policy = { ownEnv: [], fileRoots: [root] }
  const allowed = fileCheck(policy)
  const swaps = {
    folder() {
      renameSync(join(root, 'in'), join(root, 'was'))
      symlinkSync(outside, join(root, 'in'))
    },
    file() {
      renameSync(join(root, 'in', 'list.csv'), join(root, 'was.csv'))
      symlinkSync(join(outside, 'list.csv'), join(root, 'in', 'list.csv'))
    },
    'parent of the folder'() {
      renameSync(root, join(folder, 'was'))
      mkdirSync(root)
      symlinkSync(outside, join(root, 'in'))
    },
  }
  const opener = (checkFile = allowed) => uploadOpener(policy, { lists: () => join(folder, 'lists'), checkFile })
  return { folder, root, path: join(root, 'in', 'list.csv'), allowed, swaps, opener }
}

const WAYS = ['folder', 'file', 'parent of the folder'] as const

test.each(WAYS)('a %s that is swapped between the check and the opening is refused', async (way) => {
  const { path, allowed, swaps, opener } = place()
  let isSwapped = false
  const open = opener((file) => {
    allowed(file)
    if (!isSwapped) swaps[way]()
    isSwapped = true
  })
  await expect(open(path, 'r1')).rejects.toMatchObject({ code: 'file-not-allowed' })
})

test.each(WAYS)('a %s that is swapped between two attempts sends nothing from outside', async (way) => {
  const { path, swaps, opener } = place()
  const open = opener()
  await using server = await scriptedServer([{ status: 503 }, { json: { name: 'list.csv' } }])
  await using client = testClient(server.url)
  let attempts = 0
  const upload = client.api.files.upload(
    { file: path, uploadSignal: 'EMAIL', resultContent: 'BGID' },
    {
      async openFile(file) {
        attempts += 1
        if (attempts === 2) swaps[way]()
        return open(file, 'r1')
      },
    },
  )
  await expect(upload).rejects.toMatchObject({ code: 'file-not-allowed' })
  expect(attempts).toBe(2)
  expect(server.seen.map(({ body }) => body).join()).not.toContain('secret')
})

test('a file that is swapped after it was opened is still the one that was checked', async () => {
  const { path, swaps, opener } = place()
  const file = await opener()(path, 'r1')
  swaps.folder()
  expect(await file.readFile('utf8')).toBe('email\na@example.com\n')
  await file.close()
})

test('links that stay inside are followed, and a second name inside is no way out', async () => {
  const { root, path, opener } = place()
  symlinkSync('in', join(root, 'link'))
  symlinkSync('in/list.csv', join(root, 'link.csv'))
  linkSync(path, join(root, 'hard.csv'))
  for (const name of ['link/list.csv', 'link.csv', 'hard.csv']) {
    const file = await opener()(join(root, name), 'r1')
    expect(await file.readFile('utf8')).toContain('a@example.com')
    await file.close()
  }
})

test('a pipe is not opened: nobody waits for its writer', async () => {
  const { root, opener } = place()
  execFileSync('mkfifo', [join(root, 'pipe.csv')])
  await expect(opener()(join(root, 'pipe.csv'), 'r1')).rejects.toThrow('it is not a regular file')
  await expect(opener()('/dev/zero', 'r1')).rejects.toThrow()
  await expect(
    uploadOpener({ ownEnv: [] }, { lists: () => root, checkFile: () => undefined })('/dev/zero', 'r'),
  ).rejects.toThrow('it is not a regular file')
})

test.each(['a link', 'a folder that others may write'])(
  'a taken file is not read once %s has the place of .taken, without fileRoots either',
  async (what) => {
    const folder = tempFolder()
    const [taken, secret] = [join(folder, 'in', '.taken'), join(folder, 'secret')]
    const path = join(taken, 'p.drop', '1-x~key', 'list.csv')
    const lay = (at: string) => mkdirSync(join(at, 'p.drop', '1-x~key'), { recursive: true, mode: 0o700 })
    lay(taken)
    chmodSync(taken, 0o700)
    writeFileSync(path, 'mine')
    writeFileSync(secret, 'secret')
    const open = uploadOpener({ ownEnv: [] }, { lists: () => join(folder, 'lists'), checkFile: () => undefined })
    const file = await open(path, 'r')
    expect(await file.readFile('utf8')).toBe('mine')
    await file.close()

    renameSync(taken, join(folder, 'in', 'was'))
    const other = what === 'a link' ? join(folder, 'theirs') : taken
    lay(other)
    chmodSync(other, 0o777)
    symlinkSync(secret, join(other, 'p.drop', '1-x~key', 'list.csv'))
    if (what === 'a link') symlinkSync(other, taken)
    await expect(open(path, 'r')).rejects.toMatchObject({ code: 'file-unreadable' })
  },
)
