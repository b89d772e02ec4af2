import { writeRelease } from '../../../src/daemon/deployment/release-folder.ts'

/** The id of a commit with this beginning. */
export function commitOf(beginning: string): string {
  return beginning.padEnd(40, '0')
}

/** Writes a release with these texts by path, as the deployer does. */
export async function keepRelease(
  releases: string,
  commit: string,
  texts: Readonly<Record<string, string>>,
  path = '',
): Promise<void> {
  const files = Object.entries(texts).map(([name, text]) => ({
    mode: '100644',
    id: text,
    size: text.length,
    path: name,
  }))
  const { place } = await writeRelease({
    ...{ releases, commit, path, files, before: undefined, onBlob: () => undefined },
    facts: { subject: 's', author: 'a', at: 1 },
    read: async (ids, onBlob) => {
      for (const [index, text] of ids.entries()) onBlob(index, Buffer.from(text))
    },
  })
  place()
}
