/** The codes of EDGAR's list of industries (Standard Industrial Classification), ascending. */
export const sicCodes: readonly string[] = `
0100 0200 0700 0800 0900 1000 1040 1044 1090 1220 1221 1311 1381 1382 1389 1400 1520 1531 1540 1600 1623
1700 1731 2000 2011 2013 2015 2020 2024 2030 2033 2040 2050 2052 2060 2070 2080 2082 2086 2090 2092 2100
2111 2200 2211 2221 2250 2253 2273 2300 2320 2330 2340 2390 2400 2421 2430 2451 2452 2510 2511 2520 2522
2531 2540 2590 2600 2611 2621 2631 2650 2670 2673 2711 2721 2731 2732 2741 2750 2761 2771 2780 2790 2800
2810 2820 2821 2833 2834 2835 2836 2840 2842 2844 2851 2860 2870 2890 2891 2911 2950 2990 3011 3021 3050
3060 3080 3081 3086 3089 3100 3140 3211 3220 3221 3231 3241 3250 3260 3270 3272 3281 3290 3310 3312 3317
3320 3330 3334 3341 3350 3357 3360 3390 3411 3412 3420 3430 3433 3440 3442 3443 3444 3448 3451 3452 3460
3470 3480 3490 3510 3523 3524 3530 3531 3532 3533 3537 3540 3541 3550 3555 3559 3560 3561 3562 3564 3567
3569 3570 3571 3572 3575 3576 3577 3578 3579 3580 3585 3590 3600 3612 3613 3620 3621 3630 3634 3640 3651
3652 3661 3663 3669 3670 3672 3674 3677 3678 3679 3690 3695 3711 3713 3714 3715 3716 3720 3721 3724 3728
3730 3743 3751 3760 3790 3812 3821 3822 3823 3824 3825 3826 3827 3829 3841 3842 3843 3844 3845 3851 3861
3873 3910 3911 3931 3942 3944 3949 3950 3960 3990 4011 4013 4100 4210 4213 4220 4231 4400 4412 4512 4513
4522 4581 4610 4700 4731 4812 4813 4822 4832 4833 4841 4899 4900 4911 4922 4923 4924 4931 4932 4941 4950
4953 4955 4961 4991 5000 5010 5013 5020 5030 5031 5040 5045 5047 5050 5051 5063 5064 5065 5070 5072 5080
5082 5084 5090 5094 5099 5110 5122 5130 5140 5141 5150 5160 5171 5172 5180 5190 5200 5211 5271 5311 5331
5399 5400 5411 5412 5500 5531 5600 5621 5651 5661 5700 5712 5731 5734 5735 5810 5812 5900 5912 5940 5944
5945 5960 5961 5990 6021 6022 6029 6035 6036 6099 6111 6141 6153 6159 6162 6163 6172 6189 6199 6200 6211
6221 6282 6311 6321 6324 6331 6351 6361 6399 6411 6500 6510 6512 6513 6519 6531 6532 6552 6770 6792 6794
6795 6798 6799 7000 7011 7200 7310 7311 7320 7330 7331 7340 7350 7359 7361 7363 7370 7371 7372 7373 7374
7377 7380 7381 7384 7385 7389 7500 7510 7600 7812 7819 7822 7829 7830 7841 7900 7948 7990 7997 8000 8011
8050 8051 8060 8062 8071 8082 8090 8093 8111 8200 8300 8351 8600 8700 8711 8731 8734 8741 8742 8744 8880
8888 8900 9721 9995
`
  .trim()
  .split(/\s+/);

/** EDGAR's codes of states, provinces and countries, with their names. */
export const stateNames: ReadonlyMap<string, string> = new Map(
  `
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware
DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana
IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota
MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico
NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania
RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|X1 United States|UT Utah
VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|GU Guam|PR Puerto Rico
VI Virgin Islands, U.S.|A0 Alberta, Canada|A1 British Columbia, Canada|Z4 Canada (Federal Level)
A2 Manitoba, Canada|A3 New Brunswick, Canada|A4 Newfoundland, Canada|A5 Nova Scotia, Canada
A6 Ontario, Canada|A7 Prince Edward Island, Canada|A8 Quebec, Canada|A9 Saskatchewan, Canada
B0 Yukon, Canada|B2 Afghanistan|Y6 Aland Islands|B3 Albania|B4 Algeria|B5 American Samoa|B6 Andorra
B7 Angola|1A Anguilla|B8 Antarctica|B9 Antigua and Barbuda|C1 Argentina|1B Armenia|1C Aruba|C3 Australia
C4 Austria|1D Azerbaijan|C5 Bahamas|C6 Bahrain|C7 Bangladesh|C8 Barbados|1F Belarus|C9 Belgium|D1 Belize
G6 Benin|D0 Bermuda|D2 Bhutan|D3 Bolivia|1E Bosnia and Herzegovina|B1 Botswana|D4 Bouvet Island|D5 Brazil
D6 British Indian Ocean Territory|D9 Brunei Darussalam|E0 Bulgaria|X2 Burkina Faso|E2 Burundi|E3 Cambodia
E4 Cameroon|E8 Cape Verde|E9 Cayman Islands|F0 Central African Republic|F2 Chad|F3 Chile|F4 China
F6 Christmas Island|F7 Cocos (Keeling) Islands|F8 Colombia|F9 Comoros|G0 Congo
Y3 Congo, Democratic Republic of the|G1 Cook Islands|G2 Costa Rica|L7 Cote d'Ivoire|1M Croatia|G3 Cuba
G4 Cyprus|2N Czech Republic|G7 Denmark|1G Djibouti|G9 Dominica|G8 Dominican Republic|H1 Ecuador|H2 Egypt
H3 El Salvador|H4 Equatorial Guinea|1J Eritrea|1H Estonia|H5 Ethiopia|H7 Falkland Islands (Malvinas)
H6 Faroe Islands|H8 Fiji|H9 Finland|I0 France|I3 French Guiana|I4 French Polynesia
2C French Southern Territories|I5 Gabon|I6 Gambia|2Q Georgia (country)|2M Germany|J0 Ghana|J1 Gibraltar
J3 Greece|J4 Greenland|J5 Grenada|J6 Guadeloupe|J8 Guatemala|Y7 Guernsey|J9 Guinea|S0 Guinea-Bissau
K0 Guyana|K1 Haiti|K4 Heard Island and McDonald Islands|X4 Holy See (Vatican City State)|K2 Honduras
K3 Hong Kong|K5 Hungary|K6 Iceland|K7 India|K8 Indonesia|K9 Iran|L0 Iraq|L2 Ireland|Y8 Isle of Man
L3 Israel|L6 Italy|L8 Jamaica|M0 Japan|Y9 Jersey|M2 Jordan|1P Kazakhstan|M3 Kenya|J2 Kiribati
M4 Korea, Democratic People's Republic of|M5 Korea, Republic of|M6 Kuwait|1N Kyrgyzstan
M7 Lao People's Democratic Republic|1R Latvia|M8 Lebanon|M9 Lesotho|N0 Liberia|N1 Libya|N2 Liechtenstein
1Q Lithuania|N4 Luxembourg|N5 Macau|1U Macedonia|N6 Madagascar|N7 Malawi|N8 Malaysia|N9 Maldives|O0 Mali
O1 Malta|1T Marshall Islands|O2 Martinique|O3 Mauritania|O4 Mauritius|2P Mayotte|O5 Mexico|1K Micronesia
1S Moldova|O9 Monaco|P0 Mongolia|Z5 Montenegro|P1 Montserrat|P2 Morocco|P3 Mozambique|E1 Myanmar
T6 Namibia|P5 Nauru|P6 Nepal|P7 Netherlands|P8 Netherlands Antilles|1W New Caledonia|Q2 New Zealand
Q3 Nicaragua|Q4 Niger|Q5 Nigeria|Q6 Niue|Q7 Norfolk Island|1V Northern Mariana Islands|Q8 Norway|P4 Oman
R0 Pakistan|1Y Palau|1X Palestinian Territory|R1 Panama|R2 Papua New Guinea|R4 Paraguay|R5 Peru
R6 Philippines|R8 Pitcairn|R9 Poland|S1 Portugal|S3 Qatar|S4 Reunion|S5 Romania|1Z Russian Federation
S6 Rwanda|Z0 Saint Barthelemy|U8 Saint Helena|U7 Saint Kitts and Nevis|U9 Saint Lucia|Z1 Saint Martin
V0 Saint Pierre and Miquelon|V1 Saint Vincent and the Grenadines|Y0 Samoa|S8 San Marino
S9 Sao Tome and Principe|T0 Saudi Arabia|T1 Senegal|Z2 Serbia|T2 Seychelles|T8 Sierra Leone|U0 Singapore
2B Slovakia|2A Slovenia|D7 Solomon Islands|U1 Somalia|T3 South Africa
1L South Georgia and the South Sandwich Islands|U3 Spain|F1 Sri Lanka|V2 Sudan|V3 Suriname
L9 Svalbard and Jan Mayen|V6 Swaziland|V7 Sweden|V8 Switzerland|V9 Syrian Arab Republic|F5 Taiwan
2D Tajikistan|W0 Tanzania|W1 Thailand|Z3 Timor-Leste|W2 Togo|W3 Tokelau|W4 Tonga|W5 Trinidad and Tobago
W6 Tunisia|W8 Turkey|2E Turkmenistan|W7 Turks and Caicos Islands|2G Tuvalu|W9 Uganda|2H Ukraine
C0 United Arab Emirates|X0 United Kingdom|2J United States Minor Outlying Islands|X3 Uruguay
2K Uzbekistan|2L Vanuatu|X5 Venezuela|Q1 Viet Nam|D8 Virgin Islands, British|X8 Wallis and Futuna
U5 Western Sahara|T7 Yemen|Y4 Zambia|Y5 Zimbabwe|XX Unknown
`
    .trim()
    .split(/[|\n]+/)
    .map((entry) => [entry.slice(0, 2), entry.slice(3)] as const),
);

/** Exchanges as EDGAR writes them, with their full names. */
export const exchanges = {
  Nasdaq: 'The Nasdaq Stock Market.',
  NYSE: 'The New York Stock Exchange and the exchanges of its group.',
  CBOE: 'Cboe BZX Exchange.',
  OTC: 'Over the counter: quoted by dealers, not listed on an exchange.',
} as const;
