import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGit } from '../../app/open-deployment.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import { jsonLine, printable } from '../../core/printable.ts'
import { problemLine } from '../../daemon/deployment/describe-problem.ts'
import { prepareCommit } from '../../daemon/deployment/prepare-commit.ts'
import { deploymentOf, releaseRules } from '../../daemon/deployment/read-release.ts'
import { pipelineReader } from '../../daemon/documents/read-pipeline.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import { type Terminal, untilInterrupt } from '../terminal.ts'

/** Fetches and validates the newest commit in a temporary folder, as a deployment would. */
export async function deployCheck({ json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { out, env, secrets, surroundings } = terminal
  const settings = settingsOf(terminal)
  const { signedBy } = deploymentOf(settings)
  const folder = mkdtempSync(join(tmpdir(), 'audience-check-'))
  using interrupted = untilInterrupt(terminal)
  const { signal } = interrupted
  try {
    const releases = join(folder, 'releases')
    const policy = {
      ...settings.policy,
      fileRoots: settings.policy.fileRoots && [...settings.policy.fileRoots, releases],
    }
    const its = { ...settings, policy }
    const store = openGit({ settings, env, secrets, surroundings }, join(folder, 'store'))
    const commit = await store.look(signal)
    const prepared = await prepareCommit(commit, undefined, {
      store,
      releases,
      signedBy,
      rules: releaseRules(its, pipelineReader(its)),
      signal,
    })
    const { subject, author } = prepared.facts ?? {}
    const problems = 'problems' in prepared ? prepared.problems : []
    const error = 'problems' in prepared ? prepared.error : undefined
    const pipelines = 'release' in prepared ? prepared.release.documents.size : undefined
    const isRefused = !('release' in prepared)
    const lines = json
      ? [jsonLine({ commit, subject, author, refused: isRefused, pipelines, problems, error: error?.message })]
      : [
          `${shortCommit(commit)} "${printable(subject ?? '')}" (${printable(author ?? '')}): ${isRefused ? 'would be refused' : `${count(pipelines ?? 0, 'pipeline')}, would be deployed`}`,
          ...(error ? [`  ${printable(error.message)} [${error.code}]`] : []),
          ...problems.map((problem) => `  ${printable(problemLine(problem))}`),
        ]
    for (const line of lines) out.write(`${line}\n`)
    return isRefused ? EXIT_CODES.invalid : 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
