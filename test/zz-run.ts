import { startService, ownServer } from '/work/main/test/campaign/service.ts';
import { runCampaign } from '/work/main/test/campaign/campaign.ts';
const s = await startService(ownServer, (process.env.FLAGS ?? '').split(' ').filter(Boolean));
try { const o = await runCampaign(s, { requests: Number(process.argv[2]), seed: Number(process.argv[3] ?? 7) });
console.log(o.live, o.peakRssBytes/1048576, o.failures.length, o.requests);
} finally { await s.stop(); }
