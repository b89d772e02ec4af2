import type { Partner } from '../../contract/partners.ts'
import { notFound } from '../api-error.ts'
import type { Handlers, OperationsOf } from '../call.ts'
import type { Participant } from '../network/network.ts'
import { findPartner, partnersOf } from './partnership.ts'

export const partnerHandlers: Handlers<OperationsOf<'partners'>> = {
  'partners.get'({ network, caller }, { id }) {
    const partner = findPartner(network, caller, id)
    if (!partner) throw notFound('partner', String(id))
    return partnerView(partner)
  },

  'partners.list'({ network, caller }, { featureType, signal }) {
    // The same feature entry must satisfy both (decision 120).
    const wanted = (feature: Participant['features'][number]) =>
      (!featureType || feature.type === featureType) && (!signal || feature.signals.includes(signal))
    const unfiltered = !featureType && !signal
    const partners = partnersOf(network, caller).filter((partner) => unfiltered || partner.features.some(wanted))
    return { partners: partners.map(partnerView) }
  },
}

function partnerView({ id, name, features, deliveryScopes, customDeliveryScopesDetail }: Participant): Partner {
  return {
    id,
    name,
    features,
    deliveryScopes,
    ...(customDeliveryScopesDetail && { customDeliveryScopesDetail }),
  }
}
