import { globSync } from 'node:fs'
import { join } from 'node:path'
import { type OtherPipeline, type OtherPipelines, outlineOf } from '../../pipeline/outline.ts'
import { documentAt } from './document-at.ts'
import { isTestName } from './find-pipeline-files.ts'

/**
 * The pipelines of documents. `paths` has the absolute path of each document, and the path to show for it. All
 * documents are read when the first pipeline is needed. Documents that cannot be read are left out.
 */
export function otherPipelines(paths: () => ReadonlyMap<string, string>): OtherPipelines {
  let known: ReadonlyMap<string, OtherPipeline> | undefined
  const all = () => {
    const outlines = [...paths()].flatMap(([path, file]) => {
      const document = documentAt(path)
      return document === undefined || 'unread' in document ? [] : (outlineOf({ text: document.text, file }) ?? [])
    })
    known ??= new Map(outlines.map((outline) => [outline.name, outline]))
    return known
  }
  return Object.assign((name: string) => (known ?? all()).get(name), { all: () => [...(known ?? all()).keys()] })
}

/** The absolute paths of the documents of a pipelines folder. */
export function pipelinesIn(folder: string): readonly string[] {
  return globSync(join(folder, '**/*.{yaml,yml}')).filter((file) => !isTestName(file))
}
