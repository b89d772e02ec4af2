import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isDocumentName } from '../../src/daemon/documents/find-pipeline-files.ts'
import { root } from '../support/audience.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { reallyLive } from './support/real-life.ts'
import { rehearse } from './support/rehearsed-life.ts'
import { type Happening, toldAlike } from './support/story.ts'

/** What happens to each example. `atOnce`: it does several things at a time. */
const STORIES: Readonly<Record<string, { readonly atOnce?: true; readonly happenings: readonly Happening[] }>> = {
  'after-both.yaml': { happenings: [{ run: {} }] },
  'approval.yaml': {
    happenings: [{ run: {}, ends: 'waiting' }, { decide: { step: 'release', decision: 'approved' } }],
  },
  'clean-up.yaml': { happenings: [{ run: {} }] },
  'dropped-file.yaml': { happenings: [{ drop: { from: 'data/travel-planners.csv', to: 'inbox' } }] },
  // Neither run reaches the bucket, which audience.yaml would have to name.
  'from-bucket.yaml': { happenings: [{ run: { day: '2026-10-20' }, ends: 'failed' }] },
  'from-parquet.yaml': { happenings: [{ run: {} }, { run: {} }] },
  'from-sftp.yaml': { atOnce: true, happenings: [{ run: {} }, { run: {} }] },
  'guarded.yaml': {
    atOnce: true,
    happenings: [
      { drop: { from: 'data/auto-intenders.csv', to: 'inbox/guarded' }, ends: 'waiting' },
      { decide: { step: 'release', decision: 'approved' } },
    ],
  },
  'many-partners.yaml': { atOnce: true, happenings: [{ run: { partners: [2001, 2002] } }] },
  'nested.yaml': { atOnce: true, happenings: [{ run: {} }] },
  'nightly.yaml': { happenings: [{ run: {} }, { run: {} }] },
  'quickstart.yaml': { happenings: [{ run: {} }] },
  'share.yaml': { happenings: [{ run: {} }] },
  'test-and-control.yaml': { happenings: [{ run: {} }] },
  'twenty-segments.yaml': { atOnce: true, happenings: [{ run: {} }] },
}

test('each example has a story', () => {
  expect(Object.keys(STORIES)).toEqual(readdirSync(join(root, 'pipelines')).filter(isDocumentName).toSorted())
})

for (const [document, { atOnce = false, happenings }] of Object.entries(STORIES))
  test(`${document} does in a rehearsal what it does in life, record by record and request by request`, async () => {
    const project = tempFolder()
    cpSync(join(root, 'pipelines'), project, { recursive: true, filter: (name) => !name.endsWith('.test.yaml') })
    const rehearsed = await rehearse(project, document, happenings)
    const lived = await reallyLive(project, document, happenings)
    expect(toldAlike(rehearsed, { atOnce })).toEqual(toldAlike(lived, { atOnce }))
  })
