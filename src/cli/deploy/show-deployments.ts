import { releasesFolder } from '../../config/settings.ts'
import { count } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { printable, printableData, printableJson } from '../../core/printable.ts'
import { shortCommit } from '../../core/short-commit.ts'
import { deploymentState } from '../../daemon/deployment/deployment-state.ts'
import { problemLine } from '../../daemon/deployment/describe-problem.ts'
import { keptReleases } from '../../daemon/deployment/release-folder.ts'
import { deploymentOf } from '../../daemon/deployment/release-rules.ts'
import type { Deployment, DeployOrders, RemoteLook } from '../../state/deployments.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { styleFor } from '../views/style.ts'
import { renderTable } from '../views/table.ts'
import { writeTime } from '../views/write-time.ts'

const MOST_LISTED = 50

/** Prints which commit is in use, and what the newest look found. */
export async function deployStatus({ json }: { readonly json?: true }, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const settings = settingsOf(terminal)
  const { url, ref, path } = deploymentOf(settings)
  const { current, look, orders } = await withReadableState(settings, surroundings, async ({ deployments }) => ({
    current: await deployments.current(),
    look: await deployments.look(),
    orders: await deployments.orders(),
  }))
  const state = deploymentState(look, orders) ?? 'unknown'
  if (json) {
    const { since, lookedAt, ...its } = look ?? {}
    const remote = look && {
      ...its,
      since: since === undefined ? undefined : isoTime(since),
      lookedAt: lookedAt === undefined ? undefined : isoTime(lookedAt),
      committedAt: look.committedAt === undefined ? undefined : isoTime(look.committedAt),
    }
    const paused = orders.paused && { ...orders.paused, at: isoTime(orders.paused.at) }
    const report = {
      state,
      url,
      ref,
      path,
      deployed: current && deploymentItem(current),
      remote,
      paused,
      skipped: orders.skipped,
    }
    out.write(`${printableJson(JSON.stringify(report))}\n`)
    return 0
  }
  for (const line of statusLines(current, look, orders, state)) out.write(`${line}\n`)
  return 0
}

function* statusLines(
  current: Deployment | undefined,
  look: RemoteLook | undefined,
  { paused, skipped }: DeployOrders,
  state: string,
): Generator<string> {
  yield current
    ? `deployed ${commitText(current)}, ${count(current.pipelines, 'pipeline')}, since ${writeTime(current.at)}`
    : 'nothing is deployed yet'
  if (paused) {
    const who = paused.by === undefined ? '' : ` by ${printable(paused.by)}`
    const why = paused.comment === undefined ? '' : `: ${printable(paused.comment)}`
    yield `paused${who} since ${writeTime(paused.at)}${why}; \`audience deploy resume\` goes on`
  }
  if (!look) {
    yield 'remote   not looked at yet; audience start does'
    return
  }
  const kept = current ? `; ${shortCommit(current.commit)} stays in use` : ''
  const its =
    look.commit === undefined ? '' : `${commitText({ subject: '', author: '', ...look, commit: look.commit })}: `
  const problems = look.problemCount ?? 0
  if (look.state === 'refused')
    yield `remote   ${its}refused${problems > 0 ? `, ${count(problems, 'problem')}` : ''}${kept}`
  else if (look.state === 'current') yield `remote   ${its}${state === 'rolledBack' ? `skipped${kept}` : 'current'}`
  else yield `remote   ${look.state} since ${writeTime(look.since)}${kept}`
  if (look.error)
    yield `  ${printable(look.error.message)} [${look.error.code}]${look.error.hint === undefined ? '' : `; ${printable(look.error.hint)}`}`
  for (const problem of look.problems ?? []) yield `  ${printable(problemLine(problem))}`
  if (skipped !== undefined && state !== 'rolledBack') yield `skips    ${shortCommit(skipped)}`
}

function commitText({
  commit,
  subject,
  author,
}: {
  commit: string
  subject?: string | undefined
  author?: string | undefined
}): string {
  return subject ? `${shortCommit(commit)} "${printable(subject)}" (${printable(author ?? '')})` : shortCommit(commit)
}

function deploymentItem({ id, at, committedAt, ...its }: Deployment) {
  return { ...its, at: isoTime(at), committedAt: isoTime(committedAt) }
}

/** Prints the deployments. */
export async function deployList({ json }: { readonly json?: true }, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const settings = settingsOf(terminal)
  deploymentOf(settings)
  const list = await withReadableState(settings, surroundings, ({ deployments }) => deployments.list(MOST_LISTED))
  const kept = new Set(keptReleases(releasesFolder(settings)))
  const lines = json
    ? list.map((one) => printableJson(JSON.stringify({ ...deploymentItem(one), kept: kept.has(one.commit) })))
    : list.length === 0
      ? ['nothing is deployed yet']
      : renderTable(
          [
            { header: 'commit' },
            { header: 'since' },
            { header: 'pipelines' },
            { header: 'kept' },
            { header: 'by' },
            { header: 'subject', below: true },
          ],
          printableData(list).map((one) =>
            [
              shortCommit(one.commit),
              writeTime(one.at),
              String(one.pipelines),
              kept.has(one.commit) ? 'yes' : 'no',
              one.act === 'rollBack'
                ? `${one.by ?? ''} went back${one.comment === undefined ? '' : `: ${one.comment}`}`
                : one.author,
              one.subject,
            ].map((text) => ({ text })),
          ),
          { width: out.isTTY ? out.columns : undefined, style: styleFor(out) },
        )
  for (const line of lines) out.write(`${line}\n`)
  return 0
}
