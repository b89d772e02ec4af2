import { join } from 'node:path'
import { releasesFolder, type Settings } from '../../config/settings.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import type { Deployments } from '../../state/deployments.ts'
import type { StateAround } from '../../state/state.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import type { LiveDocument, PipelinesProblem } from '../documents/live-documents.ts'
import { PipelineDocuments } from '../documents/pipeline-documents.ts'
import { pipelineReader } from '../documents/read-pipeline.ts'
import { readRelease, releaseRules } from './read-release.ts'
import { readManifest, releaseFolder } from './release-folder.ts'

/** The documents that a daemon with these settings uses now, for commands that inspect them. */
export interface DocumentsInUse {
  /** By the name of the pipeline. */
  readonly documents: ReadonlyMap<string, LiveDocument>
  readonly problems: readonly PipelinesProblem[]
}

/** Reads the documents of the pipelines folder, or of the commit in use. */
export async function documentsInUse(settings: Settings, around: StateAround): Promise<DocumentsInUse> {
  if (!settings.deployment) return documentsOf(settings, { current: async () => undefined })
  return withReadableState(settings, around, ({ deployments }) => documentsOf(settings, deployments))
}

/** Like `documentsInUse`, with a state that is already open. */
export async function documentsOf(
  settings: Settings,
  deployments: Pick<Deployments, 'current'>,
): Promise<DocumentsInUse> {
  if (!settings.deployment) {
    const documents = new PipelineDocuments(settings.pipelines, pipelineReader(settings))
    await documents.scan()
    return documents
  }
  const releases = releasesFolder(settings)
  const trouble = (...messages: string[]) => ({
    documents: new Map(),
    problems: [{ file: releases, messages, keepsLast: false }],
  })
  const current = await deployments.current()
  if (!current) return trouble('nothing is deployed yet')
  const { commit } = current
  const manifest = readManifest(releases, commit)
  if (!manifest)
    return trouble(`the release of ${shortCommit(commit)} is not here; \`audience deploy status\` says what to do`)
  const folder = releaseFolder(releases, commit)
  const { files } = manifest
  const read = await readRelease(
    { commit, folder, files, before: undefined },
    releaseRules(settings, pipelineReader(settings)),
  )
  if ('release' in read) return { documents: read.release.documents, problems: [] }
  const problems = read.problems.map(({ file, message, code }) => ({
    file: join(folder, file),
    messages: [`${message} [${code}]`],
    keepsLast: true,
  }))
  return { documents: new Map(), problems }
}
