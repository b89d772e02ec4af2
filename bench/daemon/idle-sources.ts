import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSshd } from '../../test/remote/sftp/sshd.ts'
import { GIT_ENV } from '../../test/support/git-env.ts'
import { configOf, envOf } from '../../test/support/s3-server/config.ts'
import { startS3Server } from '../../test/support/s3-server/s3-server.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { startDaemonProcess, type Usage, usageOf } from './daemon-process.ts'
import { startNotingService } from './noting-service.ts'

/**
 * An idle `audience start` that checks ten sources and one repository every minute, compared to one that checks
 * nothing.
 */
const OF_EACH_KIND = 5
const FILES_IN_EACH = 20
const REST_MS = Number(process.argv[2] ?? 120_000)
/** Long enough for all of them to be checked twice, and for the memory that the start needed to be freed. */
const SETTLE_MS = Number(process.argv[3] ?? 60_000)
const MOST_CPU = 0.01
const MOST_MB = 20

const [sshd, s3] = [await startSshd(), await startS3Server()]
const service = await startNotingService()
try {
  for (let n = 0; n < OF_EACH_KIND; n++) {
    mkdirSync(join(sshd.root, `in${n}`))
    for (let each = 0; each < FILES_IN_EACH; each++) {
      writeFileSync(join(sshd.root, `in${n}/${each}.txt`), 'of another pattern')
      s3.bucket.put(`in${n}/${each}.txt`, Buffer.from('of another pattern'))
    }
  }
  const { kind: _sftp, ...sftp } = sshd.config
  const { kind: _s3, keys, ...bucket } = configOf(s3)
  const sources = Array.from({ length: OF_EACH_KIND }, (_, n) => [
    [`server${n}`, { sftp }],
    [`bucket${n}`, { s3: { ...bucket, ...keys } }],
  ]).flat()
  const without = await measure('nothing to look at', 'schedule: { cron: "0 2 * * *", timezone: UTC }', {})
  const buckets = sources.filter(([name]) => String(name).startsWith('bucket'))
  const servers = sources.filter(([name]) => String(name).startsWith('server'))
  const rows = [
    without,
    await measure('five servers', undefined, { sources: Object.fromEntries(servers) }),
    await measure('five buckets', undefined, { sources: Object.fromEntries(buckets) }),
    await measure('ten sources and one repository', undefined, {
      sources: Object.fromEntries(sources),
      isFromGit: true,
    }),
  ]
  printTable(
    ['idle', 'of a core', 'with its children', 'resident memory', 'more than without', 'children, proportional', ''],
    rows.map((row, at) => {
      const more = row.residentMb - without.residentMb
      const isKept = row.cpu < MOST_CPU && more <= MOST_MB
      return [
        row.name,
        `${(row.cpu * 100).toFixed(2)} %`,
        `${(row.cpuOfAll * 100).toFixed(2)} %`,
        `${row.residentMb.toFixed(0)} MB`,
        `${more.toFixed(0)} MB`,
        `${row.childrenMb.toFixed(0)} MB`,
        at === 0 ? '' : verdict(isKept),
      ]
    }),
  )
  console.log(`Over ${REST_MS / 1000} s, ${SETTLE_MS / 1000} s after the start; each is looked at each minute.`)
  console.log(describeMachine())
} finally {
  service.close()
  await sshd.stop()
  await s3.stop()
}

interface Row {
  readonly name: string
  /** As a share of a core. */
  readonly cpu: number
  readonly cpuOfAll: number
  readonly residentMb: number
  readonly childrenMb: number
}

async function measure(
  name: string,
  trigger: string | undefined,
  { sources = {}, isFromGit = false }: { readonly sources?: object; readonly isFromGit?: boolean },
) {
  const rows: Row[] = []
  await withTempFolder(async (root) => {
    const work = join(root, isFromGit ? 'work' : '.')
    mkdirSync(join(work, 'pipelines'), { recursive: true })
    const names = Object.keys(sources)
    for (const [n, source] of (trigger ? Array.from({ length: 10 }, () => '') : names).entries()) {
      const watch = `watch: { source: ${source}, path: "in${n % OF_EACH_KIND}/*.csv", every: 1m, done: keep, failed: keep }`
      writeFileSync(
        join(work, `pipelines/p${n}.yaml`),
        `version: 1\nname: p${n}\ntriggers: [{ id: drop, ${trigger ?? watch} }]\nsteps: [{ id: list, uses: groups.list }]\n`,
      )
    }
    const git = { url: `file://${work}`, ref: 'main', path: 'pipelines', every: '1m' }
    if (isFromGit) {
      for (const args of [
        ['init', '-q', '-b', 'main'],
        ['add', '.'],
        ['commit', '-q', '-m', 'pipelines'],
      ])
        execFileSync('git', args, { cwd: work, env: GIT_ENV })
    }
    const config = { sources, ...(isFromGit ? { pipelines: { git } } : {}) }
    const daemon = await startDaemonProcess({
      ...{ root, serviceUrl: service.url, env: envOf(s3) },
      config: Object.entries(config)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
        .join(''),
    })
    try {
      await sleep(SETTLE_MS)
      const [before, begin] = [usedBy(daemon.pid), performance.now()]
      await sleep(REST_MS)
      const [after, ms] = [usedBy(daemon.pid), performance.now() - begin]
      rows.push({
        name,
        cpu: (after.cpuMs - before.cpuMs) / ms,
        cpuOfAll: (after.cpuOfAllMs - before.cpuOfAllMs) / ms,
        residentMb: after.residentMb,
        childrenMb: after.childrenMb,
      })
    } finally {
      await daemon.stop()
    }
  })
  return rows[0] as Row
}

/** What the process and its children have used: the children that have ended, and those that still run. */
function usedBy(pid: number): Usage & { readonly cpuOfAllMs: number; readonly childrenMb: number } {
  const usage = usageOf(pid)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const waitedForMs = (Number(fields[13]) + Number(fields[14])) * 10
  const cpuOfAllMs = children.reduce((sum, child) => sum + usageOf(child).cpuMs, usage.cpuMs + waitedForMs)
  return { ...usage, cpuOfAllMs, childrenMb: children.reduce((sum, child) => sum + proportionalMb(child), 0) }
}

/** Memory that several processes share is divided between them. */
function proportionalMb(pid: number): number {
  const [, kB = '0'] = /^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return (Number(kB) * 1024) / 1e6
}
