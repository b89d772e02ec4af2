import { readdirSync, readFileSync } from 'node:fs'

const LOOK_MS = 50
/** The unit in which /proc gives processor times. */
const TICK_MS = 10

/** The resources that the children of this process, or of another one, use. Linux only. */
export function watchChildren(parent: number | 'self' = 'self') {
  const used = new Map<string, { processorMs: number; peakBytes: number }>()
  const look = () => {
    for (const task of tasksOf(parent)) {
      for (const pid of textOf(`/proc/${parent}/task/${task}/children`).split(' ').filter(Boolean)) {
        const times = textOf(`/proc/${pid}/stat`).split(') ')[1]?.split(' ').slice(11, 13) ?? []
        const [, peak] = /VmHWM:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`)) ?? []
        if (peak === undefined) continue
        const processorMs = times.reduce((sum, time) => sum + Number(time) * TICK_MS, 0)
        used.set(pid, { processorMs, peakBytes: Number(peak) * 1024 })
      }
    }
  }
  const looking = setInterval(look, LOOK_MS)
  return {
    stop() {
      look()
      clearInterval(looking)
      const all = [...used.values()]
      return {
        processorMs: all.reduce((sum, each) => sum + each.processorMs, 0),
        peakBytes: Math.max(0, ...all.map((each) => each.peakBytes)),
      }
    },
  }
}

function tasksOf(pid: number | 'self'): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
