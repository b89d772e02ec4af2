import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Disk, localDisk } from '../../../src/triggers/watch/disk.ts'
import { OwnFolders } from '../../../src/triggers/watch/own-folders.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A watched folder with a taken file, on a clock that stands still. */
function opening() {
  const watched = tempFolder()
  const taken = join(watched, '.taken')
  mkdirSync(taken, { mode: 0o700 })
  writeFileSync(join(taken, 'a.csv'), '')
  const bench = { watched, taken, now: 0, opened: 0, closed: 0 }
  const disk: Disk = {
    ...localDisk,
    async open(...given) {
      bench.opened += 1
      const file = await localDisk.open(...given)
      const close = file.close.bind(file)
      file.close = async () => {
        bench.closed += 1
        await close()
      }
      return file
    },
  }
  const folders = new OwnFolders(disk, { steady: () => bench.now }, async (path) => path)
  const names = () => folders.within(taken, async ({ wayTo }) => readdirSync(wayTo(taken)))
  return { bench, folders, names }
}

/** Puts a link to another folder where the taken files were. */
function swap({ watched, taken }: { readonly watched: string; readonly taken: string }): void {
  const other = tempFolder()
  writeFileSync(join(other, 'secret'), '')
  renameSync(taken, join(watched, '.mine'))
  symlinkSync(other, taken)
}

describe('work in the folder for taken files', () => {
  test('that goes on at the same time opens it once, and the last closes it', async () => {
    const { bench, folders, names } = opening()
    await folders.within(bench.taken, async () => {
      await Promise.all(Array.from({ length: 50 }, names))
      expect(bench).toMatchObject({ opened: 1, closed: 0 })
    })
    expect(bench).toMatchObject({ opened: 1, closed: 1 })
    await names()
    expect(bench).toMatchObject({ opened: 2, closed: 2 })
  })

  test('that fails closes it, too; one that cannot be opened is tried anew', async () => {
    const { bench, folders, names } = opening()
    const failing = folders.within(bench.taken, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(bench).toMatchObject({ opened: 1, closed: 1 })
    renameSync(bench.taken, join(bench.watched, '.mine'))
    await expect(Promise.all([names(), names()])).rejects.toThrow('ENOENT')
    await folders.make(bench.taken)
    expect(await names()).toEqual([])
  })

  test('that began before another folder took its place stays in the first; what begins a second later is refused', async () => {
    const { bench, folders, names } = opening()
    await folders.within(bench.taken, async ({ wayTo }) => {
      swap(bench)
      expect(readdirSync(wayTo(bench.taken))).toEqual(['a.csv'])
      bench.now = 999
      expect(await names()).toEqual(['a.csv'])
      bench.now = 1000
      await expect(names()).rejects.toThrow(/\.taken is not a folder, .* remove it/)
      expect(readdirSync(wayTo(bench.taken))).toEqual(['a.csv'])
    })
    expect(bench).toMatchObject({ opened: 2, closed: 1 })
  })

  test('knows the watched folder that it is in, whatever lies in its place', async () => {
    const { bench, folders } = opening()
    const { dev, ino } = await localDisk.stat(bench.watched)
    await folders.within(bench.taken, async (own) => {
      swap(bench)
      expect(await own.watched()).toBe(`${dev} ${ino}`)
    })
  })
})
