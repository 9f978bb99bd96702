import type { EventType } from './event-types.ts';

// biome-ignore format: a table, read by its lines
/**
 * Every known form of each event family, in EDGAR's own spelling: spaces count, and some forms lack the space
 * that similar forms have. Amendments (`10-K/A`) are left out, because an amendment belongs to the family of
 * its form. Collected from the form list of EDGAR full-text search, from EDGAR's indexes and from recorded
 * answers. Forms are only ever added; a form that is not listed belongs to `other_filing`: so do those of laws
 * for which there is no family, as the Public Utility Holding Company Act of 1935 (U-1, 35-CERT).
 */
export const formsByEventType: Readonly<Record<EventType, readonly string[]>> = {
  annual_report: [
    '10-K', '10-K405', '10-KSB', '10-KSB40', '10-KSB405', '10KSB', '10KSB40', '18-K', '20-F', '40-F', 'ANNLRPT',
  ],
  transition_report: ['10-KT', '10-KT405', '10-QT', '10KT405', '11-KT'],
  quarterly_report: ['10-Q', '10-QSB', '10QSB', 'QRTLYRPT'],
  current_report: ['8-K', '8-K12B', '8-K12G3', '8-K15D5'],
  foreign_current_report: ['6-K'],
  employee_plan_report: ['11-K'],
  shareholder_annual_report: ['ARS'],
  specialized_disclosure: ['IRANNOTICE', 'SD', 'SP 15D2', 'SPDSCL'],
  asset_backed_report: ['10-D', 'ABS-15G', 'ABS-EE'],
  late_filing_notice: [
    'NT 10-D', 'NT 10-K', 'NT 10-Q', 'NT 11-K', 'NT 15D2', 'NT 20-F', 'NT N-CEN', 'NT N-MFP', 'NT N-MFP1', 'NT N-MFP2',
    'NT NPORT-EX', 'NT NPORT-N', 'NT NPORT-P', 'NT-NCEN', 'NT-NCSR', 'NT-NSAR', 'NTFNCEN', 'NTFNCSR', 'NTFNSAR',
    'NTN 10-D', 'NTN 10D', 'NTN 10K', 'NTN 10Q', 'NTN 11K', 'NTN 20F', 'NTN15D2',
  ],
  insider_initial_statement: ['3'],
  insider_transaction: ['4'],
  insider_annual_statement: ['5'],
  restricted_sale_notice: ['144'],
  beneficial_ownership_active: ['SC 13D', 'SCHEDULE 13D'],
  beneficial_ownership_passive: ['SC 13G', 'SCHEDULE 13G'],
  institutional_holdings: ['13F-CTR', '13F-E', '13F-HR', '13F-NT', '13FCONP'],
  short_position_report: ['13H', 'SH-ER', 'SH-NT'],
  fund_proxy_vote: ['N-PX', 'N-PX CTR'],
  proxy_statement: ['DEF 14A', 'DEFC14A', 'DEFM14A', 'DEFN14A', 'DEFR14A', 'DEFS14A', 'DFRN14A'],
  preliminary_proxy: ['PRE 14A', 'PREA14A', 'PREC14A', 'PREM14A', 'PREN14A', 'PRER14A', 'PRES14A', 'PRRN14A'],
  proxy_additional_material: [
    'DEFA14A', 'DFAN14A', 'PX14A6G', 'PX14A6N', 'SC 14N', 'SC 14N-S', 'SCHEDULE 14N', 'SCHEDULE 14N-S',
  ],
  information_statement: [
    'DEF 14C', 'DEFA14C', 'DEFC14C', 'DEFM14C', 'DEFR14C', 'DEFS14C', 'PRE 14C', 'PREA14C', 'PREC14C', 'PREM14C',
    'PRER14C', 'PRES14C',
  ],
  registration_statement: [
    'F-1', 'F-10', 'F-10EF', 'F-10MEF', 'F-1MEF', 'F-2', 'F-2D', 'F-2MEF', 'F-3', 'F-3ASR', 'F-3D', 'F-3MEF', 'F-4',
    'F-4EF', 'F-4MEF', 'F-6', 'F-6EF', 'F-7', 'F-8', 'F-80', 'F-9', 'F-9EF', 'F-9MEF', 'S-1', 'S-11', 'S-11MEF',
    'S-1MEF', 'S-2', 'S-20', 'S-2MEF', 'S-3', 'S-3ASR', 'S-3D', 'S-3MEF', 'S-4', 'S-4EF', 'S-4MEF', 'S-8', 'S-B',
    'S-BMEF', 'SB-1', 'SB-1MEF', 'SB-2', 'SB-2MEF', 'SF-1', 'SF-1MEF', 'SF-3', 'SF-3MEF',
  ],
  post_effective_amendment: [
    'DEL AM', 'F-10POS', 'F-2DPOS', 'F-3DPOS', 'F-4 POS', 'F-6 POS', 'F-7 POS', 'F-8 POS', 'F-80POS', 'F-9 POS',
    'N-2 POSASR', 'POS 8C', 'POS AM', 'POS AMC', 'POS AMI', 'POS EX', 'POS462B', 'POS462C', 'POSASR', 'S-3DPOS',
    'S-4 POS', 'S-8 POS',
  ],
  exchange_act_registration: [
    '10-12B', '10-12G', '10SB12B', '10SB12G', '18-12B', '18-12G', '20-FR', '20FR12B', '20FR12G', '40FR12B', '40FR12G',
    '8-A12B', '8-A12G', '8-B', '8-B12B', '8-B12G', '8A12BEF', '8A12BT',
  ],
  prospectus: ['424A', '424B1', '424B2', '424B3', '424B4', '424B5', '424B6', '424B7', '424B8', '424H', '424I', 'SUPPL'],
  free_writing_prospectus: ['FWP'],
  draft_registration: ['DOS', 'DRS'],
  registration_effective: ['EFFECT', 'QUALIF'],
  registration_withdrawal: ['AW', 'AW WD', 'RW', 'RW WD', 'WDL-REQ'],
  exempt_offering: ['D', 'REGDEX'],
  regulation_a_offering: ['1-A', '1-A POS', '1-A-W', '2-A', '2-AF', '253G1', '253G2', '253G3', '253G4'],
  regulation_a_report: ['1-K', '1-SA', '1-U', '1-Z', '1-Z-W'],
  crowdfunding: [
    'C', 'C-AR', 'C-AR-W', 'C-AR/A-W', 'C-TR', 'C-TR-W', 'C-U', 'C-U-W', 'C-W', 'C/A-W', 'CFPORTAL', 'CFPORTAL-W',
  ],
  merger_communication: ['425'],
  tender_offer: [
    'CB', 'SC 13E4', 'SC 14D1', 'SC 14D9', 'SC TO-C', 'SC TO-I', 'SC TO-T', 'SC13E4F', 'SC14D1F', 'SC14D9C', 'SC14D9F',
  ],
  going_private: ['DEF13E3', 'PRE13E3', 'SC 13E1', 'SC 13E3'],
  board_change_notice: ['SC 14F1'],
  delisting: ['25', '25-NSE'],
  deregistration: [
    '15-12B', '15-12G', '15-15D', '15F-12B', '15F-12G', '15F-15D', '40-8F-2', '40-8F-A', '40-8F-B', '40-8F-L',
    '40-8F-M', 'N-8F',
  ],
  listing_certification: [
    '19B-4E', 'CERT', 'CERTAMX', 'CERTARCA', 'CERTBATS', 'CERTBSE', 'CERTCBO', 'CERTCIN', 'CERTCSE', 'CERTISE',
    'CERTNAS', 'CERTNYS', 'CERTPAC', 'CERTPBS',
  ],
  trust_indenture: ['305B2', '39-10B2', '39-304C', '39-304D', '39-310B', 'T-3', 'T-6'],
  issuer_correspondence: ['CORRESP', 'DOSLTR', 'DRSLTR'],
  sec_comment_letter: ['LETTER', 'UPLOAD'],
  sec_order: [
    '6B NTC', '6B ORDR', '8F-2 NTC', '8F-2 ORDR', 'APP NTC', 'APP ORDR', 'ATS-N ORDR INEFF', 'ATS-N ORDR LTD OPN',
    'ATS-N ORDR REVK', 'ATS-N ORDR SUSP', 'ATS-N/A ORDR INEFF', 'CANCELLATION-MA', 'CT ORDER', 'N-8F NTC', 'N-8F ORDR',
    'NO ACT', 'OIP NTC', 'OIP ORDR', 'REVOKED', 'SEC ACTION', 'SEC STAFF ACTION', 'SEC STAFF LETTER',
    'SERIOUS DEFICIEN', 'STOP ORDER',
  ],
  fund_shareholder_report: ['N-30B-2', 'N-30D', 'N-CSR', 'N-CSRS'],
  fund_holdings: ['N-MFP', 'N-MFP1', 'N-MFP2', 'N-MFP3', 'N-Q', 'NPORT-EX', 'NPORT-NP', 'NPORT-P'],
  fund_census: ['N-CEN', 'NSAR-A', 'NSAR-AT', 'NSAR-B', 'NSAR-BT', 'NSAR-U'],
  fund_current_report: ['N-CR', 'N-LIQUID', 'N-RN'],
  fund_fee_notice: ['24F-2EL', '24F-2NT', '24F-2TM'],
  fund_registration: [
    '485A24E', '485A24F', '485APOS', '485B24E', '485B24F', '485BPOS', '485BXT', '485BXTF', '486A24E', '486APOS',
    '486B24E', '486BPOS', '486BXT', '487', 'N-1', 'N-14', 'N-14 8C', 'N-14AE', 'N-14MEF', 'N-1A', 'N-1A EL', 'N-2',
    'N-2ASR', 'N-2MEF', 'N-3', 'N-3 EL', 'N-4', 'N-4 EL', 'N-5', 'N-54A', 'N-54C', 'N-6', 'N-6F', 'N-8A', 'N-8B-2',
    'N-8B-3', 'N-8B-4', 'N14AE24', 'N14EL24', 'S-6', 'S-6EL24',
  ],
  fund_prospectus: [
    '40-24B2', '497', '497AD', '497H2', '497J', '497K', '497K1', '497K2', '497K3A', '497K3B', '497VPI', '497VPSUB',
    '497VPU', 'N-VP', 'N-VPFS',
  ],
  fund_other: [
    '1-E', '1-E AD', '2-E', '40-17F1', '40-17F2', '40-17G', '40-17GCS', '40-202A', '40-203A', '40-205A', '40-205E',
    '40-206A', '40-33', '40-6B', '40-6C', '40-8B25', '40-APP', '40-OIP', 'APP WD', 'APP WDG', 'N-18F1', 'N-23C-1',
    'N-23C-2', 'N-23C3A', 'N-23C3B', 'N-23C3C', 'N-27D-1', 'N-6C9',
  ],
  market_participant: [
    '1', '1-N', '17AD-27', '17HACON', '17HQCON', '34-12H', '8-M', '9-M', 'ADV', 'ADV-E', 'ADV-H-C', 'ADV-H-T', 'ADV-NR',
    'ADVCO', 'ADVW', 'ATS-N', 'ATS-N-C', 'ATS-N-W', 'BDCO', 'CA-1', 'FOCUSN', 'G-405', 'G-405N', 'G-FIN', 'G-FINW',
    'MA', 'MA-A', 'MA-I', 'MA-W', 'MSD', 'MSDCO', 'MSDW', 'NRSRO-CE', 'NRSRO-FR', 'NRSRO-UPD', 'NRSRO-WCLS',
    'NRSRO-WREG', 'REG-NR', 'SBSE', 'SBSE-A', 'SBSE-BD', 'SBSE-C', 'SBSE-CCO-RPT', 'SBSE-DISPUTE NOTICE', 'SBSE-W',
    'SBSEF', 'SBSEF-V', 'SBSEF-W', 'SDR', 'SDR-A', 'SDR-CCO', 'SDR-W', 'SE', 'SL', 'TA-1', 'TA-2', 'TA-W', 'TACO',
    'TTW', 'X-17A-5',
  ],
  other_filing: ['ADN-MTL', 'BULK', 'DSTRBRPT', 'F-N', 'F-X', 'MODULE', 'TH', 'UNDER'],
};

// biome-ignore format: a table, read by its lines
/** Forms that amend an earlier filing although their names do not end in `/A`. The list is closed. */
export const formsThatAmend: readonly string[] = [
  '1-A POS', '485A24E', '485A24F', '485APOS', '485B24E', '485B24F', '485BPOS', '486A24E', '486APOS', '486B24E',
  '486BPOS', 'DEFR14A', 'DEFR14C', 'DFRN14A', 'F-10POS', 'F-2DPOS', 'F-3DPOS', 'F-4 POS', 'F-6 POS', 'F-7 POS',
  'F-8 POS', 'F-80POS', 'F-9 POS', 'N-2 POSASR', 'POS 8C', 'POS AM', 'POS AMC', 'POS AMI', 'POS EX', 'POS462B',
  'POS462C', 'POSASR', 'PRER14A', 'PRER14C', 'PRRN14A', 'S-3DPOS', 'S-4 POS', 'S-8 POS',
];

/** Old names of forms with the names that EDGAR has given them since. New filings have only the new names. */
export const renamedForms: readonly (readonly [oldName: string, newName: string])[] = [
  ['SC 13D', 'SCHEDULE 13D'],
  ['SC 13G', 'SCHEDULE 13G'],
  ['N-LIQUID', 'N-RN'],
  ['N-MFP', 'N-MFP3'],
  ['N-MFP1', 'N-MFP3'],
  ['N-MFP2', 'N-MFP3'],
];

// biome-ignore format: a table, read by its lines
/** Forms that others file about the company, in families whose other forms the company files itself. */
export const formsFiledByOthers: readonly string[] = [
  // A depositary bank files these and names the issuer of the deposited shares as the subject.
  'F-6', 'F-6EF', 'F-6 POS',
];

// biome-ignore format: a table, read by its lines
/** Nouns that describe some forms better than the noun of their family. */
export const nounsOfForms: readonly (readonly [noun: string, forms: readonly string[]])[] = [
  ['notice of disclosure about Iran or Syria', ['IRANNOTICE']],
  ['special financial report', ['SP 15D2']],
  ['institutional holdings notice', ['13F-NT']],
  ['confidential treatment request', ['13F-CTR', '13FCONP', 'N-PX CTR']],
  ['short position notice', ['SH-NT']],
  ['large trader registration', ['13H']],
  ['notice of exempt solicitation', ['PX14A6G', 'PX14A6N']],
  ['notice of a shareholder nomination', ['SC 14N', 'SC 14N-S', 'SCHEDULE 14N', 'SCHEDULE 14N-S']],
  ['preliminary information statement', ['PRE 14C', 'PREA14C', 'PREC14C', 'PREM14C', 'PRER14C', 'PRES14C']],
  ['set of additional information statement materials', ['DEFA14C']],
  ['delaying amendment', ['DEL AM']],
  ['set of supplemental materials', ['SUPPL']],
  ['draft offering statement', ['DOS']],
  ['notice of qualification', ['QUALIF']],
  ['withdrawal of a withdrawal request', ['AW WD', 'RW WD']],
  ['post-qualification amendment', ['1-A POS']],
  ['request to withdraw a Regulation A offering statement', ['1-A-W']],
  ['Regulation A offering circular', ['253G1', '253G2', '253G3', '253G4']],
  ['Regulation A report of sales', ['2-A', '2-AF']],
  ['Regulation A annual report', ['1-K']],
  ['Regulation A semiannual report', ['1-SA']],
  ['Regulation A current report', ['1-U']],
  ['Regulation A exit report', ['1-Z']],
  ['withdrawal of a Regulation A exit report', ['1-Z-W']],
  ['crowdfunding offering statement', ['C']],
  ['crowdfunding annual report', ['C-AR']],
  ['crowdfunding progress update', ['C-U']],
  ['crowdfunding termination of reporting', ['C-TR']],
  ['withdrawal of a crowdfunding document', ['C-W', 'C-AR-W', 'C-U-W', 'C-TR-W', 'C/A-W', 'C-AR/A-W']],
  ['funding portal registration', ['CFPORTAL']],
  ['withdrawal of a funding portal registration', ['CFPORTAL-W']],
  ['tender offer communication', ['SC TO-C', 'SC14D9C']],
  ['tender offer solicitation or recommendation statement', ['SC 14D9', 'SC14D9F']],
  ['tender offer or rights offering notification', ['CB']],
  ['notice of suspension of the duty to file reports', ['15-15D']],
  ['notice of termination of the duty to file reports', ['15F-15D']],
  ['application for deregistration', ['40-8F-2', '40-8F-A', '40-8F-B', '40-8F-L', '40-8F-M', 'N-8F']],
  ['notice of a new derivative securities product', ['19B-4E']],
  ['confidential treatment order', ['CT ORDER']],
  ['no-action letter', ['NO ACT']],
  ['order revoking registration', ['REVOKED']],
  ['stop order', ['STOP ORDER']],
  ['letter from the SEC staff', ['SEC STAFF LETTER', 'SERIOUS DEFICIEN']],
  ['designation of a new effective date', ['485BXT', '485BXTF', '486BXT']],
  ['pre-effective pricing amendment', ['487']],
  ['notice under Rule 24f-2', ['24F-2EL', '24F-2TM']],
  ['notification of registration', ['N-8A']],
  ['business development company election', ['N-54A']],
  ['withdrawal of a business development company election', ['N-54C']],
  ['notice of intent to elect business development company status', ['N-6F']],
  ['certification of no change in a prospectus', ['497J']],
  ['fund advertisement', ['497AD', '40-24B2']],
  ['periodic repurchase offer notice', ['N-23C3A', 'N-23C3B', 'N-23C3C']],
  ['application for an exemptive order', ['40-APP', '40-OIP', '40-6B', '40-6C']],
  ['fidelity bond', ['40-17G']],
  ['broker-dealer report', ['X-17A-5']],
];
