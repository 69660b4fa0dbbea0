/** Public keys of the groups, as published. */
export const KEYS = {
  A: {
    kty: 'RSA',
    kid: 'kid-rsa-sign',
    e: 'AQAB',
    n: 'kqGboBfAWttWPCA-0cGRgsY6SaYoIARt0B_PkaEcIq9HPYNdu9n6UuWHuuTHrjF_ZoQW97r5HaAorNvrMEGTGdxCHZdEtkHvNVVmrtxTBLiQCbCozXhFoIrVcr3qUBrdGnNn_M3jJi7Wg7p_-x62nS5gNG875oyheRkutHsQXikFZwsN3q_TsPNOVlCiHy8mxzaFTUQGm-X8UYexFyAivlDSjgDJLAZSWfxd7k9Gxuwa3AUfQqQcVcegmgKGCaErQ3qQbh1x7WB6iopE3_-GZ8HMAVtR9AmrVscqYsnjhaCehfAI0iKKs8zXr8tISc0ORbaalrkk03H1ZrsEnDKEWQ',
  },
  B: {
    kty: 'RSA',
    kid: 'RS256_2048',
    e: 'AQAB',
    n: 'orRRoH0KpfluRVZxUTVQUUqKW0YuvvcXCU-h_ugiJOY3-XRtP3yv0xh42AMltu9aFwD2WQO0aUKeidbqyIRQl7WrOTGJ25JRLtincRoSU_rNIPecFegkfz0-QuRuSMmOJUov6XZTE6A-_48X4aApOXofomqNzib0kO2BKZYV2YFMItphBCjgnH2WWFlCZvXAIdD87KCNlFoSvoLeTR7Oa0wDFFtdNJXU7VQR64eNrwX9evw-Ca2g8RJkIvWQl1oZaYFvSGmLy7obTZyuedRg2Pn4Xnl1AF2bwixOWsD3waRdElaaYoB9O5oC5aUw53MGb0U9H1tMLpz3ggKD90K51Q',
  },
  C: {
    kty: 'RSA',
    kid: 'bilbo.baggins@hobbiton.example',
    e: 'AQAB',
    n: 'n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw',
  },
} as const;

/** Tokens that verify: id, what is signed, key, and the token. */
export const VALID: readonly (readonly [id: string, what: string, key: keyof typeof KEYS, token: string])[] = [
  [
    'J33',
    'a short payload',
    'A',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6ImtpZC1yc2Etc2lnbiJ9.Zm9v.HUwxI1-cZrZgcuOgBQ7G7NE-GrqK79l6GV1KT4DKXnSMFwC8pfZCzE7pmLE7mYpLCIvzC87yuOjuhT0uW5oe6aaAEtR978cm-q8dfly45flqMrd_ifhi9GCsMlyi8dpQ42Ou1etZljFZuWjfyk8CN1c5DaHRwhqjScAPIFp6xmzKIRUJ_xdQfUSfSlujLaixtScU518EoNP4oo1v7E8RAz6ZO4g2N4Xqs8OvSxYydcoTEg42QnLHe9JnXgI37Q5gSwinwaPsG3Ry56UYiLoL8mCUa74S51y02VsIgVmmGWgaXjM-i_lCiKQDBiBnvWlka4XhVuvd6ZWibM9cbCPtPg',
  ],
  [
    'J259',
    'no payload',
    'B',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2XzIwNDgifQ..OUCnIKayjkSDpunEbhafP20x0d06LUlX9wTDEcaXQbQA36A7dQX2A9girAFFax5ThM3sDu1nvgmiw2WoWhwOWnwUrB9HJmYVyzZXHkTXbBQZiv5FIJTjciJ76QJChR4K_hdeYuK8qczP9_2JmYVazeF-SAdR8Bpawf4Lv34az_aomN3nvn_aVb9CzZaA6ZIgf-VxtBGrKkRgd2EsKs2ixmJMFLPy5laN6KOsWBq9aGiJUnkwzdLbMc-3hqO8YbzVsusr5ZL5gXSWjSOew5NsgS7e-4F3QyTIOuYQSOoqz3lMz_88Dgo5oo5brI0E94GVb_KSbe97PZuxa9T1o1sEWw',
  ],
  [
    'J260',
    'a payload of zeros',
    'B',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2XzIwNDgifQ.AAAAAAAAAAAAAAAAAAAAAAAAAAA.HJROgi3w88SyM5hqHRMgsLKPSKQVBmpJxKoMMv1-O0VZFaMNJ5sUPDPOH9NDjoUiK0QejotTwV-Rxd-fgE7zcAV-bqalieL9Ytw26cycLlg8XyaKg9_PbhPeam5k6NN0afJuQA1NOu7YqXguKqwHQQPq-m98X1Qmk1c7OykRdBvKPIBSN6SIHzBuUXmaWrBGz4eRW1hhgsDzEqopf8Yn0z2fcPSvhBHn4Ja2VeBkvFLoeyg714NoC7D6iYN0GIFVMuarEz0xWqJXJxA5GUvBpX7dBl6_GnJXFI-IAH7sHbLB4k72vDQhiyCbEWkKtnIoM00qE7EEFx6zv4ikQFHKJQ',
  ],
  [
    'J261',
    'a payload of one byte',
    'B',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2XzIwNDgifQ.YQ.ohEFKUmxZpQ9SccOgVkk5v4i31IdciaOa0F0tKR8LvnVAE6Brj8Ml9XjZPC8rJBBBOCv2ge2xXRsMN2LuqJK60_EJCmNFzaBFbSM73VFDtFHvC6fyVfEczidN2SInX9meTVjaY1IQhzfe-62-U7L0uKPZoLdnDeHH9U003HbCHWic8w6_w6r7hXZnD5v09Wleah98bKL4g8msmylR9t5wgkWEH4bJKFA7B5es4hiMHx8ilbd4eJ83o-pPRVdJblCRQt3MNa-P3LmPuPrApalYz4Fv3SHgXTHoGC4JthZ3FxjCSxRADfQA51he7LTeUPtmNHozHhui5F4Opr9gXK2Ig',
  ],
  [
    'J262',
    'four letters',
    'B',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2XzIwNDgifQ.VGVzdA.iYrSRSKuJ3UD3UnYswX6GSU9AjEEN0AB0ObJiiCY8A40tYGorEAycbg97V8_I8F_rouOdju2VMSisIzIUA4Grfc4xXcuc_AOrwrHAg-pOKU8v_I3b65RjJCAdodTs0OVYarKXcpwu9vFLsfCY23Pj-L621axMr5hwlIoDp_xJNdBAHFcym_4QU738h0bR8Gn9Ycb9SUggm7QILOvjrx7VxdUT3iV9DAO0R76mCaooX-Kdw1P5UUFGTcdzDRwU3Gl76EOCXqaTKRAFpOAmr9CNgmGHjiuZEgrwDdWRFoFS6fnOzHhCZdweqM1S75b_uJI2U1DQB_kNu1EnNE8Xzy6wA',
  ],
  [
    'J263',
    'a payload beyond ASCII',
    'B',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2XzIwNDgifQ.4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v8.gCrfLgxGavjKQ7fgr8Hz5YwjJwtbdc10LW_Y4WDAidRe6R_lf9z8Ii3Q__-RRXsbkpRptwH0s25TcjujOydG03Aux3Ml92lCmNzfe8g_Hi_0fQTYrTYGPGgk-34O9PNn4hKnyWTvhBsgSY5E3ywS5RgAJij8RrzV9RDfcyG5Tp_pgVPPwz-amVRzs48M_hL_r9bP4-J8VLoHbFX5DInauTqaWDfm2etl9c44W__97bADJgFbnog9BbV6xXFOmIkjWCC1jrNAJ-19VHFawv2qg6pqhYLBOnH5DCpQQuLLYnQFQweCSMHz6apqHsDT7DzhfuY6D2LT7WL_BMsl4utC_w',
  ],
  [
    'J345',
    'a sentence',
    'C',
    'eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4.MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg',
  ],
];
