import type { Market } from '../content/market.ts';
import { aviationSafety } from './markets/aviation-safety.ts';
import { buildingPermits } from './markets/building-permits.ts';
import { consumerProductSafety } from './markets/consumer-product-safety.ts';
import { cyberVulnerabilities } from './markets/cyber-vulnerabilities.ts';
import { domainRegistrations } from './markets/domain-registrations.ts';
import { energyGeneration } from './markets/energy-generation.ts';
import { federalGrants } from './markets/federal-grants.ts';
import { healthcareProviders } from './markets/healthcare-providers.ts';
import { laborEnforcement } from './markets/labor-enforcement.ts';
import { publicProcurement } from './markets/public-procurement.ts';
import { regulatoryChanges } from './markets/regulatory-changes.ts';
import { severeWeather } from './markets/severe-weather.ts';
import { tradeTariffs } from './markets/trade-tariffs.ts';
import { vehicleRecalls } from './markets/vehicle-recalls.ts';

/** Candidate markets, in the order of the catalog. None of them has a live backend. */
export const candidateMarkets: readonly Market[] = [
  consumerProductSafety,
  publicProcurement,
  federalGrants,
  vehicleRecalls,
  aviationSafety,
  severeWeather,
  buildingPermits,
  cyberVulnerabilities,
  regulatoryChanges,
  domainRegistrations,
  laborEnforcement,
  tradeTariffs,
  healthcareProviders,
  energyGeneration,
];
