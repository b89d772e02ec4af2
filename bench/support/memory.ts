const SAMPLE_MS = 5

/**
 * Watches the resident memory of this process from `begin` on. `growth` ends the watch and returns the largest growth,
 * in bytes.
 */
export function memoryWatch(): { begin(): void; growth(): number } {
  let baseline = 0
  let highest = 0
  let timer: NodeJS.Timeout | undefined
  const sample = () => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }
  return {
    begin() {
      baseline = process.memoryUsage.rss()
      highest = baseline
      clearInterval(timer)
      timer = setInterval(sample, SAMPLE_MS).unref()
    },
    growth() {
      clearInterval(timer)
      sample()
      return highest - baseline
    },
  }
}
