import { Time } from '../../ui/time.tsx'
import { besideText } from './beside-text.ts'
import { useServiceRead } from './use-service-read.ts'

/** What time it is at the service, which all times on its pages go by. */
export function ServiceTime() {
  const { data } = useServiceRead('/service/clock', {})
  if (!data) return <span>The embedded service</span>
  if (!data.frozen) return <span>The clock of the service: {besideText(data.offsetMs)}</span>
  return (
    <span>
      The clock of the service <span class="chip wait">stands still</span> at <Time at={data.now} withZone />
    </span>
  )
}
