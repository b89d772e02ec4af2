import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { METRICS, type MetricDefinition, type MetricName, type MetricOf } from './definitions.ts'

/** Makes the families of metrics as they are defined. */
export interface Families {
  counter(name: MetricOf<'counter'>): Counter
  gauge(name: MetricOf<'gauge'>): Gauge
  histogram(name: MetricOf<'histogram'>): Histogram
}

export function familiesOf(registry: Registry): Families {
  const registers = [registry]
  return {
    counter: (name) => new Counter({ ...partsOf(name), registers }),
    gauge: (name) => new Gauge({ ...partsOf(name), registers }),
    histogram(name) {
      return new Histogram({ ...partsOf(name), buckets: [...METRICS[name].buckets], registers })
    },
  }
}

function partsOf(name: MetricName) {
  const { help, labels = {} }: MetricDefinition = METRICS[name]
  return { name, help: `${help}.`, labelNames: Object.keys(labels) }
}
